import { AssetClient } from '../../assets/loading/asset-client.js';
import { EventRing } from '../../core/events/event-ring.js';
import type { ResolvedOptions } from '../../engine/options/engine-options.js';
import { measureProcessorShare } from '../../sync/watch/processor-share.js';
import { ThreadWatch } from '../../sync/watch/thread-watch.js';
import { createModuleWorker, findDecoders, findFileOrNone } from '../library-files/worker-location.js';
import { AssetWorkerOrPage } from './asset-worker-or-page.js';

/** Time for the worker's script to be fetched and to answer for the first time, in milliseconds. */
const START_LIMIT = 10_000;

/**
 * The main thread's end of the asset worker. Created with the first load; the worker starts with the first request.
 * One that does not answer is given up as any other thread is (the option `watchdog`): its loads reject, and the next
 * load starts another. A large file keeps it busy for long, and it tells as it goes that it is.
 * @param deviceFeatures of the device as it is now, by WebGPU's names
 * @param tasks what the worker notes about its work
 */
export function connectAssets(
  { threading, locate, restartSeconds }: Pick<ResolvedOptions, 'threading' | 'locate' | 'restartSeconds'>,
  main: EventRing,
  deviceFeatures: () => readonly string[],
  tasks = new EventRing(),
): { readonly client: AssetClient; readonly tasks: EventRing } {
  // It is asked after a part of the time, and answers within the rest.
  const silenceMilliseconds = Math.min(1000, restartSeconds * 200);
  const limitMilliseconds = restartSeconds * 1000 - silenceMilliseconds;
  const client = new AssetClient(
    () => {
      const start = (): Worker => createModuleWorker('assets', locate);
      return threading === 'single'
        ? new AssetWorkerOrPage(globalThis.Worker ? start() : null, findFileOrNone('assets', locate))
        : start();
    },
    (watched) =>
      new ThreadWatch({
        ...watched,
        thread: 'The asset worker',
        remedy: 'Load again; if it happens each time, check workerUrl and the file.',
        silenceMilliseconds,
        limitMilliseconds,
        processorShare: measureProcessorShare,
        startLimitMilliseconds: Math.max(START_LIMIT, limitMilliseconds),
      }),
    { main, tasks },
    findDecoders(locate),
    deviceFeatures,
  );
  return { client, tasks };
}
