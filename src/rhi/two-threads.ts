/**
 * The RHI over two threads: one records, the other has the device and executes. Between them is one port that the
 * page has given to both; what the RHI needs beside it, it sends through that port.
 *
 *   connectRhi(port)                                                        serveRhi(port, { device, surface })
 *     recorder ── stream's port, shared?, frames in flight ───────────────►   executor
 *              ◄── capabilities ──────────────────────────────────────────
 *              ── pages, on the stream's port ──►  ◄── fences, bytes read, errors, leaks, in this order of events ──
 *
 * Answers share one port, so a frame is never known as completed before the bytes that it read.
 */
import { ignore, type PortLike } from '../core/carrier.js';
import { type ErrorData, errorFromData, errorToData } from '../core/errors.js';
import { checkOptionNames } from '../core/option-names.js';
import { connectStreamReader, connectStreamWriter } from '../core/page-stream.js';
import { Fence } from '../sync/fence.js';
import { receiveFences, sendFences } from '../sync/fence-link.js';
import { rhiCommands } from './commands.js';
import { capabilitiesOf, createExecution, type Execution, type ExecutionOptions } from './create-rhi.js';
import type { RhiCapabilities } from './descriptors.js';
import type { LeakReport } from './executor.js';
import { handled } from './read-backs.js';
import { checkRhiOptions, EXECUTION_OPTIONS, rhiDisposed } from './rhi-options.js';
import { checkFramesInFlight, type RecordingRhi, RhiRecorder } from './rhi-recorder.js';

/** From the recorder. */
type Request =
  | { readonly stream: MessagePort; readonly shared: boolean; readonly maxFramesInFlight: number }
  | 'dispose';

/** To the recorder. */
type Answer =
  | { readonly capabilities: RhiCapabilities }
  | { readonly fence: unknown }
  | { readonly error: ErrorData; readonly isFatal?: boolean }
  | { readonly request: number; readonly bytes: ArrayBuffer }
  | { readonly leaks: LeakReport };

export interface ConnectOptions {
  /** Frames the GPU may be behind, 1 to 8. Default 2. */
  readonly maxFramesInFlight?: number;
  /** Pages of the stream in shared memory; else they are transferred. Default: where the page is cross-origin isolated. */
  readonly shared?: boolean;
  /** Errors of execution. Default: to the console. */
  readonly onError?: (error: unknown) => void;
  /** Answers to `context.readBuffer`; those of `rhi.read` come as its promise. Default: nobody hears them. */
  readonly onReadback?: (request: number, bytes: ArrayBuffer) => void;
}

/** The recording side of an RHI whose executor is on another thread. */
export interface RemoteRhi extends RecordingRhi {
  /** How many lists the GPU was given, and has finished, as far as this thread has heard. */
  readonly submitted: Fence;
  readonly completed: Fence;
  /** Publishes what is recorded, and resolves when the GPU has finished the last frame that has ended. */
  flush(): Promise<void>;
  /** True while little enough is recorded and not yet read; before recording much, wait for it. */
  whenWritable(): Promise<void>;
  /** Executes what is recorded, then ends both sides but the device; reports what nobody had destroyed (SYSTEMS L9). */
  dispose(): Promise<LeakReport>;
}

/**
 * On the thread that records; the other one calls `serveRhi` with the other end of the MessageChannel.
 * @returns when the other side has its device
 * @throws OptionError `option-unknown`, `option-invalid`; RhiError `bad-frames-in-flight`; what `serveRhi` throws
 */
export async function connectRhi(port: PortLike, options: ConnectOptions = {}): Promise<RemoteRhi> {
  checkOptionNames('connectRhi', options, 'maxFramesInFlight, shared, onError, onReadback');
  const { maxFramesInFlight = 2, onReadback } = options;
  const { shared = globalThis.crossOriginIsolated === true } = options;
  checkFramesInFlight(maxFramesInFlight);
  const fences = [new Fence('submitted'), new Fence('completed'), new Fence('completed frames')] as const;
  const [submitted, completed, frames] = fences;
  const fenceLink: PortLike = { postMessage: ignore, onmessage: null, close: ignore };
  receiveFences(fenceLink, fences);
  let onAnswer: (answer: Answer) => void = ignore;
  const { port1, port2 } = new MessageChannel();
  const capabilities = await new Promise<RhiCapabilities>((resolve, reject) => {
    port.onmessage = ({ data }: MessageEvent<Answer>) => {
      if ('capabilities' in data) resolve(data.capabilities);
      else if ('fence' in data) fenceLink.onmessage?.({ data: data.fence } as MessageEvent);
      else if ('error' in data && data.isFatal) reject(errorFromData(data.error));
      else onAnswer(data);
    };
    const hello: Request = { stream: port2, shared, maxFramesInFlight };
    port.postMessage(hello, [port2]);
  });

  const writer = connectStreamWriter(port1, { table: rhiCommands, shared });
  const recorder = new RhiRecorder(
    writer,
    { maxFramesInFlight, capabilities, onReadback, onError: (error) => rhi.onError(error) },
    frames,
  );
  let onLeaks: (report: LeakReport) => void = ignore;
  onAnswer = (answer) => {
    if ('leaks' in answer) onLeaks(answer.leaks);
    else if ('error' in answer) rhi.onError(errorFromData(answer.error));
    else if ('request' in answer) recorder.reads.answer(answer.request, answer.bytes);
  };
  completed.subscribe(() => {
    recorder.reads.framesCompleted(completed.value);
    if (completed.error === null) return;
    recorder.fail();
    recorder.reads.fail(completed.error);
  });
  const flush = async (): Promise<void> => {
    writer.publish();
    await frames.whenReached(recorder.lastFrame + 1);
  };
  const rhi: RemoteRhi = {
    context: recorder.context,
    capabilities,
    submitted,
    completed,
    onError: options.onError ?? console.error,
    whenCompleted: (frame) => recorder.whenCompleted(frame),
    read: (buffer, byteOffset, byteLength) => recorder.read(buffer, byteOffset, byteLength),
    readTexture: (texture, region) => recorder.readTexture(texture, region),
    flush: () => handled(flush()),
    whenWritable: () => writer.whenWritable(),
    dispose: async () => {
      if (completed.error === null) {
        recorder.stop();
        // Failed or not, the other side is disposed of.
        await frames.whenReached(recorder.lastFrame + 1).catch(ignore);
      }
      const report = await new Promise<LeakReport>((resolve) => {
        onLeaks = resolve;
        const request: Request = 'dispose';
        port.postMessage(request);
      });
      writer.close(rhiDisposed());
      port.close();
      return report;
    },
  };
  return rhi;
}

/**
 * On the thread that has the device; it must return to its event loop. Errors go to the recording side, and to
 * `onError` where that is given.
 * @returns when the recording side has connected
 * @throws OptionError `device-option`, `option-unknown`, `option-invalid`; PlatformError `capability-missing`; both sides
 *   get it
 */
export async function serveRhi(
  port: PortLike,
  options: Omit<ExecutionOptions, 'maxFramesInFlight'>,
): Promise<Execution> {
  const post = (answer: Answer, transfer: Transferable[] = []): void => port.postMessage(answer, transfer);
  let execution: Execution | undefined;
  const { stream, shared, maxFramesInFlight } = await new Promise<Exclude<Request, 'dispose'>>((resolve) => {
    port.onmessage = ({ data }: MessageEvent<Request>) => {
      if (data !== 'dispose') {
        resolve(data);
        return;
      }
      const leaks = execution?.executor.dispose();
      if (leaks) post({ leaks });
      port.close();
    };
  });
  try {
    checkRhiOptions('serveRhi', options, EXECUTION_OPTIONS);
    const capabilities = capabilitiesOf({ ...options, maxFramesInFlight });
    const frames = new Fence('completed frames');
    execution = createExecution(
      {
        ...options,
        maxFramesInFlight,
        reader: connectStreamReader(stream, { table: rhiCommands, shared }),
        onError: (error) => {
          post({ error: errorToData(error) });
          options.onError?.(error);
        },
        onReadback: (request, bytes) => post({ request, bytes }, [bytes]),
      },
      capabilities,
      frames,
    );
    post({ capabilities });
    const { submitted, completed } = execution.executor;
    const fenceLink: PortLike = { postMessage: (fence) => post({ fence }), onmessage: null, close: ignore };
    sendFences(fenceLink, [submitted, completed, frames]);
    return execution;
  } catch (error) {
    post({ error: errorToData(error), isFatal: true });
    throw error;
  }
}
