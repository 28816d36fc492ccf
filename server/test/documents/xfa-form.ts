// A dynamic XFA form: the document itself only asks to wait, and the form stands in XML beside it.
import { assemblePdf, streamObject } from './pdf-writer.ts'

/** Each entry is a caption and what was written behind it. */
export function xfaForm(entries: readonly (readonly [string, string])[], isBroken = false): Buffer {
  const fields = entries.map(
    ([caption], index) =>
      `<field name="f${index}" x="10mm" y="${(index + 1) * 10}mm" w="120mm" h="8mm"><ui><textEdit/></ui>` +
      `<caption reserve="50mm"><value><text>${caption}</text></value></caption></field>`,
  )
  const title = '<draw x="10mm" y="1mm" w="100mm" h="8mm"><value><text>Grant application</text></value></draw>'
  // Programs write what stands lower first as often as not.
  const body = `<subform name="applicant" w="200mm" h="100mm">${fields.toReversed().join('')}${title}</subform>`
  const values = entries.map(([, value], index) => `<f${index}>${value}</f${index}>`).join('')
  return xfaPdf(isBroken ? undefined : body, `<applicant>${values}</applicant>`)
}

/** A subform for each level, or one subform as often as its template asks for. */
export function hostileXfa(kind: 'deep' | 'repeated', size: number): Buffer {
  const text = '<draw w="90mm" h="8mm"><value><text>word</text></value></draw>'
  const body =
    kind === 'deep'
      ? `${'<subform layout="tb">'.repeat(size)}${text}${'</subform>'.repeat(size)}`
      : `<subform layout="tb"><occur initial="${size}" min="${size}" max="-1"/>${text}</subform>`
  return xfaPdf(body, '')
}

function xfaPdf(body: string | undefined, data: string): Buffer {
  const template =
    '<?xml version="1.0"?><xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/">' +
    '<template xmlns="http://www.xfa.org/schema/xfa-template/3.3/"><subform name="form" layout="tb" locale="en_US">' +
    '<pageSet><pageArea name="page"><contentArea x="6mm" y="6mm" w="200mm" h="280mm"/><medium short="210mm" long="297mm"/>' +
    `</pageArea></pageSet>${body ?? ''}</subform></template>`
  const datasets =
    '<xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data><form>' +
    `${data}</form></xfa:data></xfa:datasets></xdp:xdp>`
  const waiting = 'BT /F1 12 Tf 1 0 0 1 60 700 Tm (Please wait... Your viewer may not be able to show this form.) Tj ET'
  return assemblePdf([
    Buffer.from(
      '<< /Type /Catalog /Pages 2 0 R /NeedsRendering true ' +
        '/AcroForm << /Fields [] /XFA [(template) 6 0 R (datasets) 7 0 R] >> >>',
    ),
    Buffer.from('<< /Type /Pages /Kids [3 0 R] /Count 1 >>'),
    Buffer.from(
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    ),
    streamObject(Buffer.from(waiting)),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
    streamObject(Buffer.from(body === undefined ? '<template><subform' : template)),
    streamObject(Buffer.from(datasets)),
  ])
}
