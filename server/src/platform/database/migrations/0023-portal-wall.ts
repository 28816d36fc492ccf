export async function portalWall(): Promise<void> {
  // With this migration, `migrate` begins to put the wall around every table: see `postgres-wall.ts`.
}
