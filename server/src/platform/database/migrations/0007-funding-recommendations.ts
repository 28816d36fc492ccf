// Recipients with their programmes, and the projects that are matched with them.
import type { CreateTableBuilder, Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'

export async function fundingRecommendations(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await db.schema
    .createTable('recipients')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('id', t.text, (c) => c.notNull())
    .addColumn('version', t.integer, (c) => c.notNull())
    // False while only the Portal itself knows of it.
    .addColumn('is_published', t.boolean, (c) => c.notNull())
    .addColumn('name', t.text, (c) => c.notNull())
    .addColumn('name_sort', t.text, (c) => c.notNull())
    .addColumn('kind', t.text, (c) => c.notNull())
    .addColumn('description', t.text)
    .addColumn('website', t.text)
    .addColumn('countries', t.json, (c) => c.notNull())
    .addColumn('time_zone', t.text, (c) => c.notNull())
    .addColumn('accepting_applications', t.boolean, (c) => c.notNull())
    .addColumn('visibility', t.text, (c) => c.notNull())
    .addColumn('application_contract_id', t.text)
    // Moves with every change of a programme.
    .addColumn('catalog_version', t.integer, (c) => c.notNull())
    // The last change of a programme whose new matches were told.
    .addColumn('told_version', t.integer, (c) => c.notNull().defaultTo(0))
    .addColumn('told_program_id', t.text, (c) => c.notNull().defaultTo(''))
    .addColumn('created_at', t.time, (c) => c.notNull())
    .addColumn('updated_at', t.time, (c) => c.notNull())
    .addPrimaryKeyConstraint('recipients_pkey', ['portal_id', 'id'])
    .execute()

  await db.schema
    .createTable('recipient_invitations')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('invited_portal_id', t.text, (c) => c.notNull())
    .addColumn('created_at', t.time, (c) => c.notNull())
    .addPrimaryKeyConstraint('recipient_invitations_pkey', ['portal_id', 'invited_portal_id'])
    .execute()

  await programColumns(db.schema.createTable('funding_programs'), t)
    .addPrimaryKeyConstraint('funding_programs_pkey', ['portal_id', 'id'])
    .execute()
  const index = (name: string, columns: string[]) =>
    db.schema.createIndex(`funding_programs_${name}`).on('funding_programs').columns(columns)
  await index('by_reference', ['portal_id', 'external_reference']).unique().execute()
  // With what a list is filtered by, so that a rare value is found without reading a programme.
  await index('by_creation', ['portal_id', 'created_at', 'id', 'state', 'funding_type']).execute()
  await index('by_change', ['portal_id', 'catalog_version', 'id']).execute()

  // A version that is no longer the current one: calculations made with it are explained by it.
  await db.schema
    .createTable('funding_program_versions')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('program_id', t.text, (c) => c.notNull())
    .addColumn('version', t.integer, (c) => c.notNull())
    .addColumn('content', t.json, (c) => c.notNull())
    .addColumn('replaced_at', t.time, (c) => c.notNull())
    .addPrimaryKeyConstraint('funding_program_versions_pkey', ['portal_id', 'program_id', 'version'])
    .execute()
  await db.schema
    .createIndex('funding_program_versions_by_age')
    .on('funding_program_versions')
    .columns(['portal_id', 'replaced_at'])
    .execute()

  // Where an import collects its rows before they become programmes, all at once.
  await programColumns(db.schema.createTable('funding_program_imports'), t)
    .addColumn('import_id', t.text, (c) => c.notNull())
    .addPrimaryKeyConstraint('funding_program_imports_pkey', ['portal_id', 'import_id', 'external_reference'])
    .execute()

  await db.schema
    .alterTable('client_intake_applications')
    .addColumn('project_ids', t.json, (c) => c.notNull().defaultTo('[]'))
    .execute()

  await db.schema
    .createTable('projects')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('id', t.text, (c) => c.notNull())
    .addColumn('version', t.integer, (c) => c.notNull())
    .addColumn('business_id', t.text, (c) => c.notNull())
    .addColumn('intake_application_id', t.text)
    .addColumn('title', t.text, (c) => c.notNull())
    .addColumn('description', t.text)
    .addColumn('external_reference', t.text)
    .addColumn('metadata', t.json, (c) => c.notNull())
    .addColumn('criteria', t.json, (c) => c.notNull())
    .addColumn('criteria_version', t.integer, (c) => c.notNull())
    .addColumn('criteria_updated_at', t.time, (c) => c.notNull())
    // The last calculation that was completed.
    .addColumn('calculation_id', t.text)
    .addColumn('created_at', t.time, (c) => c.notNull())
    .addColumn('updated_at', t.time, (c) => c.notNull())
    .addPrimaryKeyConstraint('projects_pkey', ['portal_id', 'id'])
    .execute()
  const projectIndex = (name: string, columns: string[]) =>
    db.schema.createIndex(`projects_${name}`).on('projects').columns(columns)
  await projectIndex('by_creation', ['portal_id', 'created_at', 'id']).execute()
  await projectIndex('by_business', ['portal_id', 'business_id', 'created_at', 'id']).execute()
  await projectIndex('by_intake', ['portal_id', 'intake_application_id', 'created_at', 'id']).execute()
  await projectIndex('by_reference', ['portal_id', 'external_reference']).unique().execute()

  await db.schema
    .createTable('match_calculations')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('id', t.text, (c) => c.notNull())
    .addColumn('version', t.integer, (c) => c.notNull())
    .addColumn('state', t.text, (c) => c.notNull())
    .addColumn('state_changed_at', t.time, (c) => c.notNull())
    .addColumn('project_id', t.text, (c) => c.notNull())
    // The project while the calculation is under way, so that there is one at a time.
    .addColumn('active_project_id', t.text)
    .addColumn('criteria', t.json, (c) => c.notNull())
    .addColumn('criteria_version', t.integer, (c) => c.notNull())
    // The recipients that were looked at: their catalogue's version, their countries and their day.
    .addColumn('recipients', t.json)
    .addColumn('calculated_on', t.date)
    .addColumn('counts', t.json)
    .addColumn('most_useful_criteria', t.json)
    .addColumn('error', t.json)
    // Under which its matches stand: an attempt that was given up may have left others.
    .addColumn('result_id', t.text)
    .addColumn('created_at', t.time, (c) => c.notNull())
    .addColumn('updated_at', t.time, (c) => c.notNull())
    .addPrimaryKeyConstraint('match_calculations_pkey', ['portal_id', 'id'])
    .execute()
  const calculationIndex = (name: string, columns: string[]) =>
    db.schema.createIndex(`match_calculations_${name}`).on('match_calculations').columns(columns)
  await calculationIndex('by_project', ['portal_id', 'project_id', 'created_at', 'id']).execute()
  await calculationIndex('active', ['portal_id', 'active_project_id']).unique().execute()
  await calculationIndex('by_creation', ['portal_id', 'created_at']).execute()
  await calculationIndex('by_result', ['portal_id', 'result_id']).execute()

  // The matches of a calculation, a thousand in a row: by rank, and by what they are looked up by.
  await db.schema
    .createTable('match_pages')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('result_id', t.text, (c) => c.notNull())
    .addColumn('list', t.text, (c) => c.notNull())
    .addColumn('first_key', t.text, (c) => c.notNull())
    .addColumn('content', t.text, (c) => c.notNull())
    .addPrimaryKeyConstraint('match_pages_pkey', ['portal_id', 'result_id', 'list', 'first_key'])
    .execute()

  // Matches that a change of a catalogue brought, and when that was told.
  await db.schema
    .createTable('found_matches')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('project_id', t.text, (c) => c.notNull())
    .addColumn('program_id', t.text, (c) => c.notNull())
    .addColumn('found_at', t.time, (c) => c.notNull())
    .addPrimaryKeyConstraint('found_matches_pkey', ['portal_id', 'project_id', 'program_id'])
    .execute()

  await db.schema
    .createTable('dismissed_matches')
    .addColumn('portal_id', t.text, (c) => c.notNull())
    .addColumn('project_id', t.text, (c) => c.notNull())
    .addColumn('program_id', t.text, (c) => c.notNull())
    .addColumn('dismissed_at', t.time, (c) => c.notNull())
    .addPrimaryKeyConstraint('dismissed_matches_pkey', ['portal_id', 'project_id', 'program_id'])
    .execute()
}

export function programColumns(table: CreateTableBuilder<string>, t: ColumnTypes) {
  return (
    table
      .addColumn('portal_id', t.text, (c) => c.notNull())
      .addColumn('id', t.text, (c) => c.notNull())
      .addColumn('version', t.integer, (c) => c.notNull())
      .addColumn('recipient_id', t.text, (c) => c.notNull())
      .addColumn('state', t.text, (c) => c.notNull())
      .addColumn('state_changed_at', t.time, (c) => c.notNull())
      .addColumn('external_reference', t.text)
      .addColumn('name', t.text, (c) => c.notNull())
      .addColumn('summary', t.text)
      .addColumn('funding_type', t.text, (c) => c.notNull())
      .addColumn('opens_on', t.date)
      .addColumn('closes_on', t.date)
      .addColumn('amount', t.json)
      .addColumn('term_months', t.json)
      .addColumn('rate', t.json)
      .addColumn('fees', t.json, (c) => c.notNull())
      .addColumn('time_to_fund_days', t.json)
      .addColumn('required_documents', t.json, (c) => c.notNull())
      .addColumn('eligibility', t.json, (c) => c.notNull())
      // The recipient's catalogue version with which this version of the programme came.
      .addColumn('catalog_version', t.integer, (c) => c.notNull())
      // Tells whether an import brings anything new.
      .addColumn('content_hash', t.text, (c) => c.notNull())
      .addColumn('created_at', t.time, (c) => c.notNull())
      .addColumn('updated_at', t.time, (c) => c.notNull())
  )
}
