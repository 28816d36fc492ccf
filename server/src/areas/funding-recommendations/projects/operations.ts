import { mapPage, pageOfList } from '../../../platform/database/paging.ts'
import { defineList, defineRead, defineWrite, type Operation } from '../../../platform/http/operation.ts'
import { idParameter } from '../../../platform/http/path-parameter.ts'
import { exampleId } from '../../../platform/values/fields.ts'
import { Criteria, CriteriaChange, CriterionDefinition, Suggestion } from '../criteria/schema.ts'
import { criteria } from '../criteria/vocabulary.ts'
import { changeCriteria, changeProject, createProject, findSuggestions, requireProject } from './commands.ts'
import { listProjects } from './queries.ts'
import { toCriteria, toProject } from './records.ts'
import { Project, ProjectChange, ProjectInput, projectFilters } from './schema.ts'

const resource = 'Projects'
const read = ['projects:read']
const write = ['projects:write']
export const onProject = {
  project_id: idParameter('prj', 'The id of the project.', { found_in: '/projects/?order=created_at' }),
}

export const projectOperations: readonly Operation[] = [
  defineWrite({
    id: 'projects.create',
    method: 'POST',
    path: '/projects/',
    resource,
    summary: 'Create a project',
    description:
      'A project is a purpose a business needs money for. Its criteria are filled from the business and, if given, from the answers of a submitted client intake application.',
    grant: write,
    ifMatch: false,
    example_needs: { business_id: { id_prefix: 'biz', found_in: '/businesses/?state=active' } },
    body: ProjectInput,
    example: { business_id: exampleId('biz'), title: 'Second oven' },
    status: 201,
    response: Project,
    errors: ['already_exists', 'state_conflict'],
    write: async (tx, { caller, body }) => toProject(caller.context, await createProject(tx, caller, body)),
  }),
  defineList({
    id: 'projects.list',
    path: '/projects/',
    resource,
    summary: 'List projects',
    grant: read,
    query: projectFilters,
    item: Project,
    collection: {
      orders: ['created_at'],
      default_order: '-created_at',
      page_size: { default: 25, maximum: 100 },
      backward: true,
    },
    async list(db, { caller, query }, page) {
      return mapPage(await listProjects(db, caller.portal_id, query, page), (row) => toProject(caller.context, row))
    },
  }),
  defineRead({
    id: 'projects.read',
    path: '/projects/{project_id}/',
    resource,
    summary: 'Read a project',
    grant: read,
    params: onProject,
    response: Project,
    async read(db, { caller, params }) {
      return toProject(caller.context, await requireProject(db, caller, params.project_id))
    },
  }),
  defineWrite({
    id: 'projects.change',
    method: 'PATCH',
    path: '/projects/{project_id}/',
    resource,
    summary: 'Change a project',
    description: 'Changes the title, the description and your own fields. Change criteria at `criteria.url`.',
    grant: write,
    params: onProject,
    ifMatch: true,
    body: ProjectChange,
    example: { title: 'Second oven and a van' },
    status: 200,
    response: Project,
    errors: ['already_exists'],
    write: async (tx, { caller, params, ifMatch, body }) =>
      toProject(caller.context, await changeProject(tx, caller, { ...params, ifMatch }, body)),
  }),
  defineRead({
    id: 'criteria.read',
    path: '/projects/{project_id}/criteria/',
    resource,
    summary: 'Read the criteria of a project',
    description:
      'Returns what is known about the project, each value with its source. The ETag is that of the project.',
    grant: read,
    params: onProject,
    response: Criteria,
    async read(db, { caller, params }) {
      return toCriteria(caller.context, await requireProject(db, caller, params.project_id))
    },
  }),
  defineList({
    id: 'criteria.suggestions',
    path: '/projects/{project_id}/criteria/suggestions/',
    resource,
    summary: 'List newer values for the criteria',
    description:
      'The business and the client intake application can change after their values were taken. This list shows what they say now and the criteria do not. To accept a value, send it with PATCH to the criteria.',
    grant: read,
    params: onProject,
    item: Suggestion,
    collection: { orders: [], default_order: 'key', page_size: { default: 100, maximum: 100 }, backward: false },
    async list(db, { caller, params }, page) {
      const project = await requireProject(db, caller, params.project_id)
      const suggestions = await findSuggestions(db, caller, project)
      return pageOfList(
        suggestions.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
        page,
        ({ key }) => [key],
      )
    },
  }),
  defineWrite({
    id: 'criteria.change',
    method: 'PATCH',
    path: '/projects/{project_id}/criteria/',
    resource,
    summary: 'Change the criteria of a project',
    description:
      'Sets the criteria that are sent and clears those that are null, all or nothing. `If-Match` is the ETag of the project. Values you set are never overwritten by facts from elsewhere.',
    grant: write,
    params: onProject,
    ifMatch: true,
    body: CriteriaChange,
    example: { values: { use_of_funds: ['equipment'], credit_score: 680 } },
    status: 200,
    response: Criteria,
    changes: ({ values }) => Object.keys(values).map((key) => `criteria/${key}`),
    async write(tx, { caller, params, ifMatch, body }) {
      return toCriteria(caller.context, await changeCriteria(tx, caller, { ...params, ifMatch }, body))
    },
  }),
  defineList({
    id: 'criteria.definitions',
    path: '/criteria-definitions/',
    resource,
    summary: 'List the criteria',
    description: 'The vocabulary of projects and of the rules of funding programmes: every criterion with its type.',
    grant: [...read, ...write],
    item: CriterionDefinition,
    collection: { orders: [], default_order: 'key', page_size: { default: 100, maximum: 100 }, backward: false },
    async list(_db, _call, page) {
      const definitions = criteria.map(({ schema: _, ...definition }, number) => ({ ...definition, number }))
      const found = pageOfList(definitions, page, ({ number }) => [number])
      return mapPage(found, ({ number: _, allowed_values, ...definition }) => ({
        ...definition,
        allowed_values: [...allowed_values],
      }))
    },
  }),
]
