import { AssetClient } from '../../assets/asset-client.js';
import { EventRing } from '../../core/event-ring.js';
import { ThreadWatch } from '../../sync/thread-watch.js';
import { createModuleWorker, type WorkerUrl } from './worker-location.js';

/**
 * The main thread's end of the asset worker. Loaded with the first file; the worker starts with what is asked of it.
 * @param tasks what the worker notes about its work
 */
export function connectAssets(
  workerUrl: WorkerUrl | undefined,
  main: EventRing,
  tasks = new EventRing(),
): { readonly client: AssetClient; readonly tasks: EventRing } {
  const client = new AssetClient(
    () => createModuleWorker('assets', workerUrl),
    (watched) =>
      new ThreadWatch({
        ...watched,
        thread: 'The asset worker',
        remedy: 'Load again; if it happens each time, check workerUrl and the file.',
        // A large file may keep it busy for long.
        limitMilliseconds: 60_000,
      }),
    { main, tasks },
  );
  return { client, tasks };
}
