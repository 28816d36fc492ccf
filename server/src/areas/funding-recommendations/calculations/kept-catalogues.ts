// The catalogues that the matching thread has read. They are read anew when they, the day or the recipient's countries
// have changed, and forgotten when there are too many.
import type { Connection, Database } from '../../../platform/database/database.ts'
import { type Catalogue, collectCatalogue } from '../matching/catalogue.ts'
import { programsForMatching } from '../programs/queries.ts'
import type { Checkpoint, TaskRecipient } from './matching-task.ts'

interface KeptCatalogue {
  catalog_version: number
  catalogue: Catalogue
}

export function keepCatalogues(checkpoint: Checkpoint) {
  const kept = new Map<string, KeptCatalogue & { name: string }>()
  return {
    /** The catalogue of a recipient as it is now; `day` is that of the calculation. */
    async find(database: Database, recipient: TaskRecipient, day: number): Promise<KeptCatalogue> {
      checkpoint()
      const { portal_id, countries } = recipient
      const name = `${day} ${countries.join(' ')}`
      let found = kept.get(portal_id)
      const isCurrent =
        found?.name === name && found.catalog_version === (await findCatalogVersion(database.read, portal_id))
      if (!found || !isCurrent) found = { name, ...(await readCatalogue(database, recipient, day, checkpoint)) }
      // The one asked for last stands last.
      kept.delete(portal_id)
      kept.set(portal_id, found)
      return found
    },
    /** Those that were not asked for longest go first; what was asked for just now stays, whatever its size. */
    forgetOldest(): void {
      let programs = 0
      for (const { catalogue } of kept.values()) programs += catalogue.ids.length
      for (const [portalId, { catalogue }] of kept) {
        if (programs <= mostPrograms || kept.size === 1) return
        kept.delete(portalId)
        programs -= catalogue.ids.length
      }
    },
  }
}

async function readCatalogue(
  database: Database,
  { portal_id, id, countries }: TaskRecipient,
  day: number,
  checkpoint: Checkpoint,
): Promise<KeptCatalogue> {
  // One unchanging view: its version is that of every programme in it.
  return database.snapshot(async (tx) => {
    const catalog_version = await findCatalogVersion(tx, portal_id)
    const { add, finish } = collectCatalogue({ id, countries, today: day }, day)
    for (let afterId = ''; ; ) {
      checkpoint()
      const page = await programsForMatching(tx, portal_id, { afterId, limit: pageSize })
      for (const program of page) add(program)
      if (page.length < pageSize) return { catalog_version, catalogue: finish() }
      afterId = page.at(-1)?.id ?? ''
    }
  })
}

async function findCatalogVersion(db: Connection, portalId: string): Promise<number> {
  const row = await db
    .selectFrom('recipients')
    .select('catalog_version')
    .where('portal_id', '=', portalId)
    .executeTakeFirst()
  return row?.catalog_version ?? 0
}

const pageSize = 1000
const mostPrograms = 500_000
