/**
 * The whole RHI on one thread, in one call, for pages, workers and Node: a context that records, an executor that
 * translates, a stream between them, and what tells when a frame is done.
 *
 *   context ──► local stream ──► wrapReader (validation, capture …) ──► executor ──► device
 *      ▲                                                                    │
 *      └── whenCompleted(frame), read(…), onError ◄── fences, errors, bytes ┘
 *
 * To record on one thread and execute on another there are `connectRhi` and `serveRhi`.
 */
import { StateError } from '../../core/errors.js';
import { amount, anything, boolean, func, having, optional, text } from '../../core/options/members.js';
import { ForwardingReader } from '../../core/streams/forwarding-reader.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import type { StreamReader } from '../../core/streams/stream.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';
import type { SignallableFence } from '../../sync/waitable.js';
import { type RequiredCapabilities, requireCapabilities } from '../commands/capabilities.js';
import { checkExecutionOptions, checkFramesInFlight } from '../commands/class-arguments.js';
import { rhiCommands } from '../commands/commands.js';
import type { RhiCapabilities } from '../commands/descriptors.js';
import { surface } from '../commands/shapes.js';
import type { Executor, LeakReport } from '../execute/executor.js';
import { NullExecutor, nullCapabilities } from '../null/executor.js';
import { type RecordingRhi, RhiRecorder } from '../record/rhi-recorder.js';
import type { ValidatingReader, ValidationOptions } from '../validation/validate.js';
import { GpuWork } from '../webgpu/device/gpu-work.js';
import { describeDevice } from '../webgpu/device/open-device.js';
import type { WebGpuExecutorOptions } from '../webgpu/executor.js';
import { WebGpuExecutor } from '../webgpu/executor.js';
import { executeAtOnce } from './bypass.js';

const listener = optional(func());

/** Of an executor, on whatever thread; the compiler's list is in the tests. */
export const EXECUTION_OPTIONS = {
  device: anything(),
  requiredCapabilities: anything(),
  surface,
  maxFramesInFlight: anything(),
  validation: optional(func('the function validate, which fencepost/rhi exports')),
  wrapReader: listener,
  onError: listener,
  onReadback: listener,
  onFrame: listener,
  surfaceFormat: anything(),
  localCommands: optional(having('get', 'a Map of functions by name')),
  onVideoFrame: listener,
  events: anything(),
  maximumUploadBytes: optional(amount('bytes')),
};
const RHI_OPTIONS = { ...EXECUTION_OPTIONS, bypass: optional(boolean()), label: optional(text()) };

/** What a wrapper is told, so that it can check and report as the executor does. */
export interface WrapperTools extends Required<Omit<ValidationOptions, 'onSkippedDraw'>> {
  /** What the device can do. */
  readonly capabilities: RhiCapabilities;
}

/** What executes, with its options; `serveRhi` takes them too. */
export interface ExecutionOptions
  extends Partial<
    Omit<WebGpuExecutorOptions, 'device' | 'reader' | 'closeReason' | 'onPurge' | 'onFrameCompleted'>
  > {
  /** Stays the caller's: `dispose` does not destroy it. Null: the backend without a GPU. */
  readonly device: GPUDevice | null;
  /** What the device must be able to do, by feature and lowest version (SYSTEMS H10). Default: nothing. */
  readonly requiredCapabilities?: RequiredCapabilities;
  /** Where `beginDrawingViewport` draws. Default null: into a texture that nobody sees. */
  readonly surface?: WebGpuExecutorOptions['surface'];
  /** Frames the GPU may be behind, 1 to 8. Default 2. */
  readonly maxFramesInFlight?: number;
  /** The function `validate`: records are checked, and what is wrong is reported and left out. Default: none. */
  readonly validation?: (
    reader: StreamReader,
    options: ValidationOptions,
  ) => StreamReader & Partial<Pick<ValidatingReader, 'errorScopes'>>;
  /**
   * Stands between the stream and validation and sees every record: traces, captures, checks of your own. Several
   * are one function around another. Default: none.
   */
  readonly wrapReader?: (reader: StreamReader, tools: WrapperTools) => StreamReader;
  /** Errors of execution, also those that come later. Default: to the console. */
  readonly onError?: (error: unknown) => void;
}

export interface RhiOptions extends ExecutionOptions {
  /**
   * Execute each command in the call that records it, and throw its error there (SYSTEMS H3). For debugging. Default
   * false.
   */
  readonly bypass?: boolean;
  /** Names the context in messages about its deferred lists. Default: `context 1`, and so on. */
  readonly label?: string;
  /** Answers to `context.readBuffer`; those of `rhi.read` come as its promise. Default: nobody hears them. */
  readonly onReadback?: (request: number, bytes: ArrayBuffer) => void;
}

/** An executor with what belongs to it; whoever records is told by the three fences and `onReadback`. */
export interface Execution {
  readonly executor: Executor;
  readonly capabilities: RhiCapabilities;
  /** What the executor reads, for taps. */
  readonly reader: StreamReader;
}

export interface Rhi extends RecordingRhi {
  readonly executor: Executor;
  /** What the executor reads: the stream, or what was put before it. */
  readonly reader: StreamReader;
  /**
   * Ends everything but the device; reports what nobody had destroyed (SYSTEMS L9). What is recorded afterwards throws
   * `rhi-disposed`.
   */
  dispose(): LeakReport;
}

/** @throws RhiError `bad-frames-in-flight`; PlatformError `capability-missing` */
export function capabilitiesOf(options: ExecutionOptions): RhiCapabilities {
  const { device, surfaceFormat, maxFramesInFlight = 2 } = options;
  checkFramesInFlight(maxFramesInFlight);
  const found = device ? describeDevice(device, adapterName(device)) : nullCapabilities();
  const capabilities = surfaceFormat ? { ...found, surfaceFormat } : found;
  requireCapabilities(capabilities, options.requiredCapabilities ?? {});
  return capabilities;
}

/** @param frames gets each completed frame's number, plus 1 */
export function createExecution(
  options: ExecutionOptions & Pick<WebGpuExecutorOptions, 'reader' | 'onError' | 'onReadback'>,
  capabilities: RhiCapabilities,
  frames: SignallableFence,
): Execution {
  const { device, wrapReader, validation, onError, onReadback, maxFramesInFlight = 2 } = options;
  const tools: WrapperTools = {
    capabilities,
    onError,
    onReadback,
    completedLists: () => executor.completedFrames.value,
  };
  let { reader } = options;
  if (wrapReader) {
    const wrapped = wrapReader(reader, tools);
    // Anything else can't be watched, and a Proxy looks as if it could give out whole pages: it would not see their records.
    if (wrapped !== reader) reader = new ForwardingReader(wrapped);
  }
  const validating = validation?.(reader, { ...tools, onSkippedDraw: () => executor.workRefused() });
  reader = validating ?? reader;
  const executorOptions = {
    ...options,
    reader,
    surface: options.surface ?? null,
    maxFramesInFlight,
    closeReason: rhiDisposed,
    onFrameCompleted: (frame: number): void => frames.signal(frame + 1),
  };
  const executor: Executor = device
    ? new WebGpuExecutor({ ...executorOptions, device }, { errorScopes: validating?.errorScopes })
    : new NullExecutor(executorOptions);
  executor.completed.subscribe(() => {
    const { error } = executor.completed;
    if (error !== null) frames.fail(error);
  });
  return { executor, capabilities, reader };
}

/**
 * What is recorded is executed by itself: after each `endFrame`, and after a read between frames. Slips that the call
 * can know are thrown by the call; those of execution come to `onError`.
 * @throws OptionError `device-option`, `option-unknown`, `option-invalid`; RhiError `bad-frames-in-flight`; PlatformError
 *   `capability-missing`
 */
export function createRhi(options: RhiOptions): Rhi {
  checkExecutionOptions('createRhi', options, RHI_OPTIONS);
  const { device, bypass, label, onReadback, maxFramesInFlight = 2 } = options;
  const capabilities = capabilitiesOf(options);
  const { writer, reader } = createLocalStream({ table: rhiCommands });
  const frames = new PrivateFence('completed frames');

  let isInCall = false;
  let isDisposing = false;
  let isDisposed = false;
  const thrownInCall: unknown[] = [];
  const onError = (error: unknown): void => {
    // Shaders are compiled and textures made long after they were asked for.
    if (isDisposed) return;
    if (isInCall) thrownInCall.push(error);
    else rhi.onError(error);
  };
  /** Executes what was recorded; its first error is thrown here, where the call that caused it stands. */
  const executeNow = (): void => {
    writer.publish();
    if (isInCall) return; // recorded by a listener of the executor, which goes on with it
    isInCall = true;
    try {
      executor.pump();
    } finally {
      isInCall = false;
    }
    const [first, ...others] = thrownInCall.splice(0);
    for (const error of others) rhi.onError(error);
    if (first !== undefined) throw first;
  };
  const recorder = new RhiRecorder(
    writer,
    {
      maxFramesInFlight,
      capabilities,
      label,
      onReadback,
      onError,
      wrapContext: (context) => (bypass ? executeAtOnce(context, executeNow) : context),
    },
    frames,
  );
  const execution = createExecution(
    { ...options, reader, onError, onReadback: recorder.reads.answer },
    capabilities,
    frames,
  );
  const { executor } = execution;

  const flush = async (): Promise<void> => {
    writer.publish();
    executor.pump();
    await recorder.whenFramesCompleted();
    // Once more, for what was recorded behind a frame that had to wait.
    executor.pump();
    if (device) await new GpuWork(device).whenDone();
  };
  const rhi: Rhi = {
    ...recorder.offer(executor, flush, options.onError),
    executor,
    reader: execution.reader,
    dispose: () => {
      // Also when a listener calls it while this is under way.
      if (isDisposing) return { leaks: [] };
      isDisposing = true;
      if (executor.completed.error === null) recorder.stop();
      else recorder.fail();
      // It fails the fences, and with them whoever waits here.
      const report = executor.dispose();
      // The reader's end closes in a microtask.
      writer.close(rhiDisposed());
      isDisposed = true;
      return report;
    },
  };
  return rhi;
}

/** What whoever goes on recording is told. */
export function rhiDisposed(): StateError {
  return new StateError(
    'rhi-disposed',
    'The RHI was disposed of, and records nothing more. Create another one.',
  );
}

function adapterName({ adapterInfo }: GPUDevice): string {
  return adapterInfo?.description || adapterInfo?.vendor || 'unknown';
}
