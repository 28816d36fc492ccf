// The Markdown pages for people: the same text, readable, with nothing loaded from another host.
export async function renderHtml(markdown: string, name: string): Promise<string> {
  const { marked } = await import('marked')
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? 'Portico'
  const html = await marked.parse(markdown, { gfm: true })
  const body = withHeadingIds(html).replace(/href="([^":]+)\.md(#[^"]*)?"/g, 'href="$1$2"')
  // Relative links count from the page's own folder, whether the address ended in a slash or not.
  const base = `/docs/${name}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Portico</title>
<link rel="stylesheet" href="/docs/style.css">
<base href="${escapeHtml(base)}">
</head>
<body>
<header><a href="/docs/rest-api-reference/index">Portico</a> <nav><a href="/docs/guides/index">Guides</a> <a href="/docs/rest-api-reference/index">Reference</a> <a href="/docs/errors/index">Errors</a> <a href="/docs/generated/openapi.json">OpenAPI</a> <a href="${escapeHtml(base)}.md">This page as Markdown</a></nav></header>
<main>
${body}
</main>
</body>
</html>
`
}

/** Links to a section name its heading as code hosts do, so that they work in both places. */
function withHeadingIds(html: string): string {
  const seen = new Map<string, number>()
  return html.replace(/<(h[1-6])>(.*?)<\/\1>/g, (_, tag: string, inner: string) => {
    const id = slugOf(inner)
    const count = seen.get(id) ?? 0
    seen.set(id, count + 1)
    return `<${tag} id="${count === 0 ? id : `${id}-${count}`}">${inner}</${tag}>`
  })
}

/** `States of the <code>application</code>` is `states-of-the-application`. */
function slugOf(inner: string): string {
  return inner
    .replace(/<[^>]*>|&[a-z#0-9]+;/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

export const styleSheet = `:root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: #0b6e6e }
@media (prefers-color-scheme: dark) { :root { --accent: #5cc8c8 } }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif }
header { display: flex; flex-wrap: wrap; gap: .5rem 2rem; padding: .75rem 1.5rem; border-bottom: 1px solid var(--line); align-items: baseline }
header > a { font-weight: 700; font-size: 1.1rem }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem }
main { max-width: 60rem; margin: 0 auto; padding: 1rem 1.5rem 4rem }
a { color: var(--accent) }
h1 { line-height: 1.2 }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem }
code { font: .9em ui-monospace, monospace; background: var(--soft); padding: .1em .3em; border-radius: .25rem; overflow-wrap: anywhere }
pre { background: var(--soft); padding: 1rem; overflow-x: auto; border-radius: .5rem }
pre code { background: none; padding: 0; overflow-wrap: normal }
table { border-collapse: collapse; width: 100%; display: block; overflow-x: auto }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line) }
`
