import { AssetClient, type DecodingHelpers } from '../../assets/loading/asset-client.js';
import { EventRing } from '../../core/events/event-ring.js';
import type { ResolvedOptions } from '../../engine/options/engine-options.js';
import { measureProcessorShare } from '../../sync/watch/processor-share.js';
import { ThreadWatch } from '../../sync/watch/thread-watch.js';
import { createModuleWorker, findDecoders, findFileOrNone } from '../library-files/worker-location.js';
import { AssetWorkerOrPage } from './asset-worker-or-page.js';

/** Least time limit for fetching the worker's script and receiving its first answer, in milliseconds. */
const START_LIMIT = 10_000;

/**
 * Connects the main thread with the asset worker. The worker starts with the first request. A worker that does not
 * answer in time counts as dead, like any other thread (the option `watchdog`). Its pending loads then reject, and the
 * next load starts another worker. While a large file keeps the worker busy, the worker sends signs of life.
 * @param main event ring of the main thread
 * @param deviceFeatures returns the WebGPU features of the current device, by name
 * @param tasks event ring that receives the worker's events
 */
export function connectAssets(
  { threading, locate, restartSeconds }: Pick<ResolvedOptions, 'threading' | 'locate' | 'restartSeconds'>,
  main: EventRing,
  deviceFeatures: () => readonly string[],
  helpers: DecodingHelpers,
  tasks = new EventRing(),
): { readonly client: AssetClient; readonly tasks: EventRing } {
  // The watch asks a silent worker for a sign of life after a fifth of `restartSeconds`, at most 1 s. The worker must
  // answer within the remaining time.
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
    helpers,
  );
  return { client, tasks };
}
