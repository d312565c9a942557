/**
 * The whole RHI on one thread, for pages, workers and Node. One call creates a context that records, an executor, a
 * stream between them, and a fence for completed frames.
 *
 *   context ──► local stream ──► wrapReader ──► validation ──────────► executor ──► device
 *      ▲                                                                    │
 *      └── whenCompleted(frame), read(…), onError ◄── fences, errors, bytes ┘
 */
import { StateError } from '../../core/errors.js';
import { amount, anything, boolean, func, having, optional, text } from '../../core/options/members.js';
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
import { GpuWork } from '../webgpu/device/gpu-work.js';
import { describeDevice } from '../webgpu/device/open-device.js';
import type { WebGpuExecutorOptions } from '../webgpu/executor.js';
import { WebGpuExecutor } from '../webgpu/executor.js';
import { executeAtOnce } from './bypass.js';
import { composeExecution, type Validate, type WrapperTools } from './compose-execution.js';

const listener = optional(func());

/** Checks of the options. */
const RHI_OPTIONS = {
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
  maximumReadBackBytes: optional(amount('bytes')),
  bypass: optional(boolean()),
  label: optional(text()),
};

export interface RhiOptions
  extends Partial<
    Omit<WebGpuExecutorOptions, 'device' | 'reader' | 'closeReason' | 'onPurge' | 'onFrameCompleted'>
  > {
  /** The device. The caller owns it: `dispose` does not destroy it. Null: the backend without a GPU. */
  readonly device: GPUDevice | null;
  /** Required features with their lowest versions (SYSTEMS H10). Default: none. */
  readonly requiredCapabilities?: RequiredCapabilities;
  /** Canvas that `beginDrawingViewport` draws to. Default null: an invisible texture. */
  readonly surface?: WebGpuExecutorOptions['surface'];
  /** Number of frames that the GPU may lag behind, 1 to 8. Default 2. */
  readonly maxFramesInFlight?: number;
  /** The function `validate`, which reports and skips invalid records. Default: records are not validated. */
  readonly validation?: Validate;
  /**
   * Wraps the reader between the stream and validation. A wrapper sees every record, for traces, captures or custom
   * checks. To use several wrappers, pass one function that calls them all. Default: no wrapper.
   */
  readonly wrapReader?: (reader: StreamReader, tools: WrapperTools) => StreamReader;
  /** Receives errors of execution, including errors that arrive after the call. Default: the console. */
  readonly onError?: (error: unknown) => void;
  /**
   * Whether each command executes in the call that records it, so that this call throws the command's error (SYSTEMS
   * H3). For debugging. Default false.
   */
  readonly bypass?: boolean;
  /** Name of the context in messages about its deferred lists. Default: `context 1`, and so on. */
  readonly label?: string;
  /**
   * Receives the bytes of `context.readBuffer`; `rhi.read` returns a promise instead. Default: the bytes are ignored.
   */
  readonly onReadback?: (request: number, bytes: ArrayBuffer) => void;
}

export interface Rhi extends RecordingRhi {
  readonly executor: Executor;
  /** The reader that the executor reads: the stream, or the last wrapper or validation around it. */
  readonly reader: StreamReader;
  /**
   * Ends the RHI, except the device, and reports resources that were never destroyed (SYSTEMS L9). Commands recorded
   * afterwards throw `rhi-disposed`.
   */
  dispose(): LeakReport;
}

/**
 * Returns the capabilities of the device in the options, and checks the required ones.
 * @throws RhiError `bad-frames-in-flight`; PlatformError `capability-missing`
 */
function capabilitiesOf(options: RhiOptions): RhiCapabilities {
  const { device, surfaceFormat, maxFramesInFlight = 2 } = options;
  checkFramesInFlight(maxFramesInFlight);
  const found = device ? describeDevice(device, adapterName(device)) : nullCapabilities();
  const capabilities = surfaceFormat ? { ...found, surfaceFormat } : found;
  requireCapabilities(capabilities, options.requiredCapabilities ?? {});
  return capabilities;
}

/**
 * Creates an executor, with the wrapper and the validation in front of it.
 * @param frames fence that is signalled with each completed frame's number, plus 1
 */
function createExecution(
  options: RhiOptions & Pick<WebGpuExecutorOptions, 'reader' | 'onError' | 'onReadback'>,
  capabilities: RhiCapabilities,
  frames: SignallableFence,
): Pick<Rhi, 'executor' | 'reader'> {
  const { device, maxFramesInFlight = 2 } = options;
  const { executor, reader } = composeExecution<Executor>(
    { ...options, capabilities },
    (reader, errorScopes) => {
      const executorOptions = {
        ...options,
        reader,
        surface: options.surface ?? null,
        maxFramesInFlight,
        closeReason: rhiDisposed,
        onFrameCompleted: (frame: number): void => frames.signal(frame + 1),
      };
      return device
        ? new WebGpuExecutor({ ...executorOptions, device }, { errorScopes })
        : new NullExecutor(executorOptions);
    },
  );
  executor.completed.subscribe(() => {
    const { error } = executor.completed;
    if (error !== null) frames.fail(error);
  });
  return { executor, reader };
}

/**
 * Creates an RHI that executes automatically: after each `endFrame`, and after a read between frames. Errors that a
 * call can detect are thrown by the call; errors of execution go to `onError`.
 * @throws OptionError `device-option`, `option-unknown`, `option-invalid`; RhiError `bad-frames-in-flight`;
 *   PlatformError `capability-missing`
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
    // Errors of shaders and textures may arrive long after their creation, even after the disposal.
    if (isDisposed) return;
    if (isInCall) thrownInCall.push(error);
    else rhi.onError(error);
  };
  /** Executes the recorded commands. Their first error is thrown here, in the call that caused it. */
  const executeNow = (): void => {
    writer.publish();
    if (isInCall) return; // A listener of the executor recorded the command. The running executor executes it next.
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
    // The second `pump` executes commands that follow a frame that had to wait.
    executor.pump();
    if (device) await new GpuWork(device).whenDone();
  };
  const rhi: Rhi = {
    ...recorder.offer(executor, flush, options.onError),
    executor,
    reader: execution.reader,
    dispose: () => {
      // A listener may call `dispose` again during the disposal.
      if (isDisposing) return { leaks: [] };
      isDisposing = true;
      if (executor.completed.error === null) recorder.stop();
      else recorder.fail();
      // Fails the fences, so that every wait for them rejects.
      const report = executor.dispose();
      // The executor has closed the reader, but the writer would learn that only in a microtask.
      writer.close(rhiDisposed());
      isDisposed = true;
      return report;
    },
  };
  return rhi;
}

/** Returns the error for recording after the disposal. */
function rhiDisposed(): StateError {
  return new StateError(
    'rhi-disposed',
    'The RHI was disposed of, so it records no more commands. Create another RHI.',
  );
}

function adapterName({ adapterInfo }: GPUDevice): string {
  return adapterInfo?.description || adapterInfo?.vendor || 'unknown';
}
