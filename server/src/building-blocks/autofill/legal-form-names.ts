// Legal forms by the names they have in documents and in lists of options.
import { foldText } from '../../platform/values/text-keys.ts'

/** Words as names are compared: without accents, dots and apostrophes. */
export function plainWords(text: string): string {
  return foldText(text.replaceAll('&', ' and ').replace(/[.'’]/g, ''))
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .join(' ')
}

/** The forms that names stand for. */
export function legalFormsOf(names: Iterable<string>): Set<string> {
  return new Set([...names].flatMap((name) => legalFormByName.get(name) ?? wholeNames.get(name) ?? []))
}

/** Whether a text is the name of a form, and nothing else. */
export function isLegalForm(text: string): boolean {
  const plain = plainWords(text)
  // `Company (Pty Ltd)`
  const names = [plain, plain.replace(/^company /, '')]
  return names.some((name) => wholeNames.has(name) || legalFormByName.has(name))
}

/** A form that another one is a kind of, for lists of options that have only the wider one. */
export const widerForms: ReadonlyMap<string, string> = new Map([
  ['limited_partnership', 'partnership'],
  ['s_corp', 'corporation'],
])

/** The form a longer text speaks of, by its longest name: `Australian Proprietary Company, Limited By Shares`. */
export function legalFormIn(text: string): string | undefined {
  const plain = plainWords(text)
  const whole = wholeNames.get(plain)
  if (whole !== undefined) return whole
  const words = plain.split(' ')
  for (let count = Math.min(8, words.length); count > 0; count--) {
    const found = new Set<string>()
    for (let at = 0; at + count <= words.length; at++) {
      const form = legalFormByName.get(words.slice(at, at + count).join(' '))
      if (form !== undefined) found.add(form)
    }
    // `GbR/OHG/KG` are partnerships of several kinds.
    const wide = new Set([...found].map((form) => widerForms.get(form) ?? form))
    if (found.size > 0) return found.size === 1 ? [...found][0] : wide.size === 1 ? [...wide][0] : undefined
  }
  return undefined
}

const byName = (names: Record<string, string>) =>
  new Map(Object.entries(names).flatMap(([form, list]) => list.split(',').map((name) => [name, form] as const)))

/** Names that say it only by themselves: in a longer text they may be a part of something else. */
const wholeNames = byName({
  sole_proprietor:
    'auto entrepreneur,micro entrepreneur,einzelkaufmann,einzelunternehmerin,persona natural,persona natural con negocio,persona fisica con actividad empresarial,self employed,self employed individual',
  partnership:
    'partnerschaftsgesellschaft,partg,partg mbb,sociedad colectiva,vof,vennootschap onder firma,einfache gesellschaft',
  limited_partnership: 'sociedad en comandita,sociedad en comandita simple,scs',
  llc: 'pllc,professional limited liability company,single member llc',
  corporation: 'sapi de cv,sociedad anonima promotora de inversion de capital variable,professional corporation',
  limited_company:
    'responsabilidad limitada,resp ltda,ltda,limitada,sprl,sociedade por quotas,lda,aktiebolag,osakeyhtio,aksjeselskap,anpartsselskab,aps,sp z oo,sro,kft,doo',
  plc: 'public company limited by shares',
  nonprofit:
    'registered charity,charitable incorporated organisation,association loi 1901,association declaree,verein,eingetragener verein,ev,stiftung,fundacion,fondation,community interest company,cic,gemeinnutzige gmbh,ggmbh,asociacion sin animo de lucro',
})

const legalFormByName = byName({
  sole_proprietor:
    'sole proprietor,sole proprietorship,sole trader,sole prop,individual,entrepreneur individuel,einzelfirma,einzelunternehmer,eingetragener kaufmann,eingetragene kauffrau,ek,ei,micro entreprise,persona fisica,raison individuelle,entreprise en raison individuelle,individual proprietorship,einzelunternehmen,entreprise individuelle,autonomo,empresario individual',
  partnership:
    'partnership,general partnership,gp,gbr,gesellschaft burgerlichen rechts,ohg,offene handelsgesellschaft,sociedad civil,snc,societe en nom collectif,domestic general partnership,og,offene gesellschaft,comunidad de bienes,cb,kollektivgesellschaft,gmbh and co kg,gmbh and cokg',
  limited_partnership:
    'limited partnership,lp,kg,kommanditgesellschaft,domestic limited partnership,societe en commandite simple,sociedad comanditaria',
  llp: 'llp,limited liability partnership',
  llc: 'llc,limited liability company,limited liability co',
  corporation:
    'corporation,corp,inc,incorporated,canadian controlled private corporation,business corporation,sa de cv,sociedad anonima de capital variable,sa,nv,for profit corporation,domestic business corporation,societe par actions,c corporation,c corp,ccorp,aktiengesellschaft,ag,societe anonyme,sociedad anonima',
  s_corp: 's corp,s corporation,scorp,subchapter s corporation',
  limited_company:
    'limited company,soc responsabilidad limitada,soc de responsabilidad limitada,private company,proprietary company,limited by shares,private limited company by shares,sociedad comercial de responsabilidad limitada,sociedad de responsabilidad limitada unipersonal,societe a responsabilite limitee a associe unique,spa,sociedad por acciones,besloten vennootschap,srl de droit belge,pvt ltd,pte ltd,proprietary limited,pty limited,pty,gesmbh,gesellschaft m b h,designated activity company,dac,sociedad de responsabilidad limitada de capital variable,s de rl de cv,sociedad por acciones simplificada,societe a responsabilite limitee unipersonnelle,ltd,limited,ltd company,private limited company,private company limited by shares,company limited by shares,pty ltd,gmbh,sarl,srl,bv,gesellschaft mit beschrankter haftung,ug,unternehmergesellschaft,unternehmergesellschaft haftungsbeschrankt,societe a responsabilite limitee,eurl,sas,sasu,societe par actions simplifiee,societe par actions simplifiee unipersonnelle,entreprise unipersonnelle a responsabilite limitee,sl,slu,sociedad limitada,sociedad limitada unipersonal,sociedad de responsabilidad limitada',
  plc: 'plc,public limited company',
  nonprofit:
    'nonprofit,non profit,not for profit,nonprofit organization,non profit organization,nonprofit corporation,charity,501 c 3,501c3',
  cooperative:
    'cooperative,societe cooperative,societe cooperative agricole,scop,scic,eg,s coop,sociedad cooperativa andaluza,co operative,coop,co op,genossenschaft,eingetragene genossenschaft,cooperativa,sociedad cooperativa',
  public_body: 'public body,government,government entity,public authority',
})
