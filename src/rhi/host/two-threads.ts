/**
 * The RHI over two threads: one records, the other has the device and executes. The page gives one port to each. The
 * RHI sends everything else it needs through these ports.
 *
 *   connectRhi(port)                                                        serveRhi(port, { device, surface })
 *     recorder ── stream's port, shared?, frames in flight ───────────────►   executor
 *              ◄── capabilities ──────────────────────────────────────────
 *              ── pages, on the stream's port ──►  ◄── fences, bytes read, errors, leaks, in this order of events ──
 *
 * All answers share one port, so the bytes that a frame has read always arrive before its completion.
 */

import { canShareMemory } from '../../core/browser/opaque-origin.js';
import {
  type ErrorData,
  errorFromData,
  errorToData,
  type FencepostError,
  isTyped,
  ThreadError,
} from '../../core/errors.js';
import { anything, func, optional, text } from '../../core/options/members.js';
import { ignore, type PortLike } from '../../core/streams/carrier.js';
import { connectStreamReader, connectStreamWriter } from '../../core/streams/page-stream.js';
import { hearLosses, streamMessageLost } from '../../core/streams/port-messages.js';
import { withDeadline } from '../../sync/deadline.js';
import { type FenceCarrier, ReceivedFences, sendFences } from '../../sync/fences/fence-link.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';
import {
  checkExecutionOptions,
  checkFramesInFlight,
  checkOptions,
  checkPort,
} from '../commands/class-arguments.js';
import { rhiCommands } from '../commands/commands.js';
import type { RhiCapabilities } from '../commands/descriptors.js';
import type { LeakReport } from '../execute/executor.js';
import { handled } from '../record/read-backs.js';
import { type RecordingRhi, RhiRecorder } from '../record/rhi-recorder.js';
import {
  capabilitiesOf,
  createExecution,
  EXECUTION_OPTIONS,
  type Execution,
  type ExecutionOptions,
  type RhiOptions,
  rhiDisposed,
} from './create-rhi.js';
import { holdLock, newLockName, whenFree } from './thread-life.js';

const listener = optional(func());
const OPTIONS = {
  label: optional(text()),
  maxFramesInFlight: anything(),
  shared: anything(),
  disposeMilliseconds: optional({
    accepts: (value): value is number => typeof value === 'number' && value >= 0,
    remedy: 'a number of milliseconds, 0 or more',
  }),
  onError: listener,
  onReadback: listener,
};

/** A message from the recorder. */
type Request =
  | {
      readonly stream: MessagePort;
      readonly shared: boolean;
      readonly maxFramesInFlight: number;
      readonly lock: string | undefined;
    }
  | 'dispose'
  | 'bye';

/** A message to the recorder. */
type Answer =
  | { readonly capabilities: RhiCapabilities }
  | { readonly fence: unknown }
  | { readonly error: ErrorData; readonly isFatal?: boolean }
  | { readonly request: number; readonly bytes: ArrayBuffer; readonly cause: ErrorData | undefined }
  | { readonly leaks: LeakReport };

export interface ConnectOptions
  extends Pick<RhiOptions, 'label' | 'maxFramesInFlight' | 'onError' | 'onReadback'> {
  /**
   * Whether the stream's pages are in shared memory; otherwise they are transferred. Default: true if the thread can
   * share memory, which needs cross-origin isolation in browsers.
   */
  readonly shared?: boolean;
  /** Milliseconds that `dispose` waits for the executing thread. After that time it counts as ended. Default 10,000. */
  readonly disposeMilliseconds?: number;
}

/** The recording side of an RHI whose executor is on another thread. */
export interface RemoteRhi extends RecordingRhi {
  /**
   * Executes the recorded commands, then ends the RHI on both threads, except the device. Reports resources that were
   * never destroyed (SYSTEMS L9); if the executing thread has ended, it reports none. All calls return the same
   * promise.
   * @throws (rejects) ThreadError `wait-timed-out` if the executing thread does not answer; all waiting promises of the
   *   RHI reject with the same error
   */
  dispose(): Promise<LeakReport>;
}

/**
 * Connects the recording thread. The executing thread calls `serveRhi` with the other end of the MessageChannel. If the
 * executing thread ends, all waiting promises reject with `rhi-thread-gone`, and `onError` receives the error. The end
 * of a thread that has no device yet is not detected: listen to the worker's `error`.
 * @returns the RHI, once the executing thread has its device
 * @throws ThreadError `rhi-thread-gone`; OptionError `port-missing`, `option-unknown`, `option-invalid`; RhiError
 *   `bad-frames-in-flight`; any error of `serveRhi`
 */
export async function connectRhi(port: PortLike, options: ConnectOptions = {}): Promise<RemoteRhi> {
  checkPort('connectRhi', port);
  checkOptions('connectRhi', options, OPTIONS);
  const { maxFramesInFlight = 2, disposeMilliseconds = 10_000, onReadback } = options;
  const { shared = canShareMemory() } = options;
  checkFramesInFlight(maxFramesInFlight);
  const fenceLink: PortLike = { postMessage: ignore, onmessage: null, close: ignore };
  const { fences } = new ReceivedFences(byMessages(fenceLink));
  const [submitted, completed, frames] = fences;
  let onGone: (error: ThreadError) => void = ignore;
  let onLeaks: (report: LeakReport) => void = ignore;
  const { port1, port2 } = new MessageChannel();
  const lock = newLockName();
  const ask = (request: Request, transfer: Transferable[] = []): void => port.postMessage(request, transfer);
  const closePorts = (): void => {
    port.onmessage = null;
    port1.close();
    port.close();
  };
  (port as Partial<MessagePort>).addEventListener?.('close', () => onGone(threadGone()));
  let isConnected = false;
  const connected = new Promise<RhiCapabilities>((resolve, reject) => {
    onGone = reject;
    port.onmessage = ({ data }: MessageEvent<Answer>) => {
      if ('capabilities' in data) resolve(data.capabilities);
      else if ('fence' in data) fenceLink.onmessage?.({ data: data.fence } as MessageEvent);
      else if ('leaks' in data) onLeaks(data.leaks);
      else if ('request' in data) {
        recorder.reads.answer(data.request, data.bytes, data.cause && errorFromData(data.cause));
      } else if (data.isFatal) reject(errorFromData(data.error));
      else rhi.onError(errorFromData(data.error));
    };
    const lose = (error: ThreadError): void => {
      if (isConnected) rhi.onError(error);
      else reject(error);
    };
    hearLosses(port, 'the thread that executes the RHI', lose, 'A read-back or a completion may be missing.');
    ask({ stream: port2, shared, maxFramesInFlight, lock }, [port2]);
  });
  const capabilities = await connected.catch((error) => {
    closePorts();
    throw error;
  });

  // Between two workers, Firefox loses memory that is posted before the reader has said hello.
  const writer = connectStreamWriter(port1, { table: rhiCommands, shared }, !globalThis.document);
  writer.onLoss = () => rhi.onError(streamMessageLost('writer', rhiCommands.name, shared));
  const recorder = new RhiRecorder(
    writer,
    {
      maxFramesInFlight,
      capabilities,
      label: options.label,
      onReadback,
      onError: (error) => rhi.onError(error),
    },
    frames,
  );
  const reported = new Promise<LeakReport>((resolve) => {
    onLeaks = resolve;
  });
  const stopWatching = whenFree(lock, () => onGone(threadGone()));
  /** Ends this side: waiting promises reject, and recording throws. Only the first error counts. */
  const end = (error: FencepostError): void => {
    stopWatching();
    ask('bye');
    for (const fence of fences) fence.fail(error);
    writer.close(error);
    closePorts();
    onGone = ignore;
  };
  onGone = (error) => {
    end(error);
    onLeaks({ leaks: [] });
    rhi.onError(error);
  };
  completed.subscribe(() => {
    if (completed.error !== null) recorder.fail();
  });
  const flush = async (): Promise<void> => {
    writer.publish();
    await recorder.whenFramesCompleted();
  };
  const askForLeaks = async (): Promise<LeakReport> => {
    if (completed.error === null) {
      recorder.stop();
      // The executor is disposed of even if frames fail.
      await recorder.whenFramesCompleted().catch(ignore);
    }
    ask('dispose');
    return reported;
  };
  const dispose = async (): Promise<LeakReport> => {
    try {
      const report = await withDeadline(askForLeaks(), {
        milliseconds: disposeMilliseconds,
        waiter: 'dispose() of the RHI',
        awaited: 'the thread that executes',
      });
      end(rhiDisposed());
      return report;
    } catch (error) {
      if (isTyped(error)) end(error);
      throw error;
    }
  };
  isConnected = true;
  let disposal: Promise<LeakReport> | undefined;
  const rhi: RemoteRhi = {
    ...recorder.offer({ submitted, completed }, flush, options.onError),
    dispose: () => {
      disposal ??= dispose();
      return disposal;
    },
  };
  return rhi;
}

/** Options of the executor, without the number of frames in flight, which the recording side sets. */
type ServeOptions = Omit<ExecutionOptions, 'maxFramesInFlight'>;

/**
 * Executes the commands of a recording thread. Call it on the thread that has the device; this thread must return to
 * its event loop. The recording thread receives all errors of execution, and so does `onError` if it is given.
 * @param options options or a promise of them. If it rejects, as `openDevice` may, `connectRhi` rejects with the same
 *   error
 * @returns the execution, once the recording thread has connected
 * @throws OptionError `port-missing`. OptionError `device-option`, `option-unknown`, `option-invalid` and PlatformError
 *   `capability-missing`, with which `connectRhi` rejects too
 */
export async function serveRhi(
  port: PortLike,
  options: ServeOptions | Promise<ServeOptions>,
): Promise<Execution> {
  checkPort('serveRhi', port);
  const promised = handled(Promise.resolve(options));
  const post = (answer: Answer, transfer: Transferable[] = []): void => port.postMessage(answer, transfer);
  const tell = (error: FencepostError): void =>
    post({ error: errorToData(error), isFatal: execution === undefined });
  hearLosses(port, 'the thread that records for the RHI', tell);
  let execution: Execution | undefined;
  let releaseLock: () => void = ignore;
  const hello = await new Promise<Exclude<Request, string>>((resolve) => {
    port.onmessage = ({ data }: MessageEvent<Request>) => {
      if (data === 'dispose') {
        const leaks = execution?.executor.dispose();
        if (leaks) post({ leaks });
      } else if (data === 'bye') {
        // Released only now, because the recording thread takes the lock's release for the end of this thread.
        releaseLock();
        port.close();
      } else {
        resolve(data);
      }
    };
  });
  const { stream, shared, maxFramesInFlight, lock } = hello;
  try {
    const given = await promised;
    checkExecutionOptions('serveRhi', given, EXECUTION_OPTIONS);
    const capabilities = capabilitiesOf({ ...given, maxFramesInFlight });
    releaseLock = await holdLock(lock);
    const frames = new PrivateFence('completed frames');
    const reader = connectStreamReader(stream, { table: rhiCommands, shared });
    reader.onLoss = () => tell(streamMessageLost('reader', rhiCommands.name, shared));
    execution = createExecution(
      {
        ...given,
        maxFramesInFlight,
        reader,
        onError: (error) => {
          post({ error: errorToData(error) });
          given.onError?.(error);
        },
        onReadback: (request, bytes, cause) =>
          post({ request, bytes, cause: cause && errorToData(cause) }, [bytes]),
      },
      capabilities,
      frames,
    );
    post({ capabilities });
    const { submitted, completed } = execution.executor;
    const fenceLink: PortLike = { postMessage: (fence) => post({ fence }), onmessage: null, close: ignore };
    sendFences(byMessages(fenceLink), { submitted, completed, 'completed frames': frames });
    return execution;
  } catch (error) {
    post({ error: errorToData(error), isFatal: true });
    throw error;
  }
}

/** Sends fences as messages. Fences in shared memory could complete a frame before its read bytes have arrived. */
const byMessages = (port: PortLike): FenceCarrier => ({
  port,
  memory: null,
  names: ['submitted', 'completed', 'completed frames'],
});

function threadGone(): ThreadError {
  return new ThreadError(
    'rhi-thread-gone',
    'The thread that executes the RHI has ended, or closed its port; nothing more will complete. Start it again, and connect again.',
  );
}
