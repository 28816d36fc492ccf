// The words that places are written with: houses, streets and countries.
import { wordsOf } from '../words/phrases.ts'

/** What a house is called by. */
export const houseWords = new Set(
  'house,hall,mill,mills,farm,court,building,works,barn,lodge,cottage,centre,center,park,estate,maltings,forge,tower,towers,yard,wharf,chambers,manor,granary,stables,studio,studios,plaza,quay,exchange,rectory,dairy'.split(
    ',',
  ),
)

export function hasStreetWord(text: string): boolean {
  return wordsOf(text).some((word) => streetWords.has(word))
}

const streetWords = new Set(
  'road,street,lane,avenue,drive,way,close,place,square,terrace,row,hill,gardens,crescent,boulevard,blvd,suite,unit,bldg,floor,rue,route,chemin,lieu,strasse,weg,platz,calle,avenida,zone'.split(
    ',',
  ),
)

/** `U.K.`, `ENGLAND` */
export function isCountryName(text: string): boolean {
  return countries.has(text.trim().toLowerCase().replaceAll('.', ''))
}

const countries = new Set(
  'united kingdom,uk,england,scotland,wales,northern ireland,ireland,united states,united states of america,usa,us,canada,australia,deutschland,germany,österreich,austria,schweiz,switzerland,france,españa,spain,espagne,allemagne'.split(
    ',',
  ),
)
