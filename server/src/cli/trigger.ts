// Causes a real event in a Portal.
import type { Command } from 'commander'
import { type ApiOptions, apiOptions, type Call, callerOf } from './api-client.ts'
import { CommandError, type OutputOptions, print } from './output.ts'
import { noRecipes, recipes } from './trigger-recipes.ts'
import { knownTypes, unknownType } from './webhooks.ts'

export function triggerCommand(program: Command): void {
  const trigger = program
    .command('trigger <event>')
    .description(`Cause a real event in a Portal, with test records. Events: ${Object.keys(recipes).join(', ')}.`)
    .option('--json', 'print JSON')
  for (const option of apiOptions()) trigger.addOption(option)
  trigger.action(async (event: string, options: OutputOptions & ApiOptions) => {
    const call = callerOf(options)
    const recipe = recipes[event]
    if (!recipe) throw await noRecipe(call, event)
    const { id, url, self_url } = await recipe(call)
    print(options, { event, id, url: self_url ?? url }, `Triggered ${event} with ${id}: ${self_url ?? url}`)
  })
}

async function noRecipe(call: Call, event: string): Promise<CommandError> {
  const known = await knownTypes(call)
  if (!known.includes(event)) return unknownType(event, [...known, ...Object.keys(recipes)])
  const reason = noRecipes[event] ?? 'is not known to this release of the command'
  return new CommandError(
    `Cannot cause ${event}: it ${reason}. Events this command can cause: ${Object.keys(recipes).join(', ')}.`,
  )
}
