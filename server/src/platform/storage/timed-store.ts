// How long a store takes and how often it fails, by what was asked of it.
import { type FileStore, type Store, type StoreTimes, StoreUnavailable } from './file-store.ts'

/** The same store, which counts. */
export function timed(store: Store): FileStore {
  const byOperation = new Map<string, StoreTimes>()
  const times: FileStore['times'] = { byOperation }
  const timesOf = (operation: string): StoreTimes => {
    const own = byOperation.get(operation) ?? { calls: 0, failures: 0, milliseconds: 0 }
    byOperation.set(operation, own)
    return own
  }
  const time =
    <Args extends unknown[], Result>(operation: string, call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const own = timesOf(operation)
      const begun = performance.now()
      let isFailed = false
      try {
        return await call(...args)
      } catch (error) {
        isFailed = error instanceof StoreUnavailable
        if (isFailed) own.failures++
        throw error
      } finally {
        const took = performance.now() - begun
        own.calls++
        own.milliseconds += took
        times.observe?.(operation, took, isFailed)
      }
    }
  const { direct, receiver } = store
  return {
    times,
    direct: direct && {
      ...direct,
      hasArrived: time('stat', direct.hasArrived),
      settle: time('settle', direct.settle),
      removeUpload: time('remove', direct.removeUpload),
    },
    // Counted, without the time in which a client sends. A client that breaks off is no failure of the store.
    receiver: receiver && {
      ...receiver,
      receive: async (...args) => {
        const own = timesOf('receive')
        own.calls++
        const incoming = await receiver.receive(...args).catch((error) => {
          if (error instanceof StoreUnavailable) own.failures++
          throw error
        })
        return { ...incoming, keep: time('keep', incoming.keep) }
      },
    },
    open: time('open', store.open),
    put: time('put', store.put.bind(store)),
    stat: time('stat', store.stat),
    remove: time('remove', store.remove),
    check: time('check', store.check),
    // How long it takes is up to its reader.
    list: store.list.bind(store),
    examine: store.examine,
    close: store.close,
  }
}
