/**
 * The whole RHI on one thread, in one call, for pages, workers and Node: a context that records, an executor that
 * translates, a stream between them, and what tells when a frame is done.
 *
 *   context ──► local stream ──► wrapReader (validation, capture …) ──► executor ──► device
 *      ▲                                                                    │
 *      └── whenCompleted(frame), read(…), onError ◄── fences, errors, bytes ┘
 *
 * Across two threads, the parts are put together by hand: `connectStreamWriter` and an `ImmediateContext` on one
 * side, `connectStreamReader` and an executor on the other.
 */
import { RhiError } from '../core/errors.js';
import { createLocalStream } from '../core/page-stream.js';
import type { StreamReader } from '../core/stream.js';
import { Fence } from '../sync/fence.js';
import { executeAtOnce } from './bypass.js';
import { type RequiredCapabilities, requireCapabilities } from './capabilities.js';
import { rhiCommands } from './commands.js';
import { CompleteImmediateContext } from './complete-context.js';
import type { CompleteExecutor } from './complete-options.js';
import type { BufferHandle, RhiCapabilities } from './descriptors.js';
import type { LeakReport } from './executor.js';
import { CompleteNullExecutor } from './null/complete-executor.js';
import { nullCapabilities } from './null/executor.js';
import { ReadBacks } from './read-backs.js';
import { type CompleteExecutorOptions, CompleteWebGpuExecutor } from './webgpu/complete/complete-executor.js';
import { describeDevice } from './webgpu/open-device.js';

export interface RhiOptions
  extends Partial<Omit<CompleteExecutorOptions, 'device' | 'reader' | 'extension'>> {
  /** Stays the caller's: `dispose` does not destroy it. Null: the backend without a GPU. */
  readonly device: GPUDevice | null;
  /** What the device must be able to do, by feature and lowest version (SYSTEMS H10). */
  readonly requiredCapabilities?: RequiredCapabilities;
  /** Frames the GPU may be behind, 1 to 8. Default 2. */
  readonly maxFramesInFlight?: number;
  /**
   * Stands between the stream and the executor and sees every record: validation, capture, trace. Several are
   * one function around another.
   */
  readonly wrapReader?: (reader: StreamReader) => StreamReader;
  /** Execute each command in the call that records it, and throw its error there (SYSTEMS H3). For debugging. */
  readonly bypass?: boolean;
  /** Errors of execution, also those that come later. Default: to the console. */
  readonly onError?: (error: unknown) => void;
  /** Answers to `context.readBuffer`; those of `rhi.read` come as its promise. */
  readonly onReadback?: (request: number, bytes: ArrayBuffer) => void;
}

export interface Rhi {
  readonly context: CompleteImmediateContext;
  readonly executor: CompleteExecutor;
  readonly capabilities: RhiCapabilities;
  /** How many lists the GPU was given, and has finished. */
  readonly submitted: Fence;
  readonly completed: Fence;
  /** Called with each error of execution; assign it to change the listener. */
  onError: (error: unknown) => void;
  /** Resolves when the GPU has finished the frame; rejects when the device is lost or the RHI disposed of first. */
  whenCompleted(frame: number): Promise<void>;
  /**
   * The bytes of a buffer as they are after all that is recorded so far. Record it outside passes; it arrives once
   * its frame (or, between frames, what was recorded) is submitted and done, and stalls nobody.
   * @throws RhiError `stale-handle`; the promise rejects with `readback-failed` or the error that ended the device
   */
  read(buffer: BufferHandle, byteOffset: number, byteLength: number): Promise<ArrayBuffer>;
  /** Publishes what is recorded, and resolves when the GPU has finished it. A frame that has no end yet is not waited for. */
  flush(): Promise<void>;
  /** Ends everything but the device; reports what nobody had destroyed (SYSTEMS L9). */
  dispose(): LeakReport;
}

/**
 * Errors of limits are thrown by the call that asks for too much.
 * @throws RhiError `bad-frames-in-flight`; PlatformError `capability-missing`
 */
export function createRhi(options: RhiOptions): Rhi {
  const { device, maxFramesInFlight = 2, wrapReader, bypass, onReadback, onFrame } = options;
  if (!(Number.isInteger(maxFramesInFlight) && maxFramesInFlight >= 1 && maxFramesInFlight <= 8)) {
    throw new RhiError(
      'bad-frames-in-flight',
      `maxFramesInFlight is ${maxFramesInFlight}; it must be a whole number from 1 to 8.`,
    );
  }
  const capabilities = device ? describeDevice(device, adapterName(device)) : nullCapabilities();
  requireCapabilities(capabilities, options.requiredCapabilities ?? {});
  const { writer, reader } = createLocalStream({ table: rhiCommands });
  const recorder = new CompleteImmediateContext(writer, { maxFramesInFlight, capabilities });
  const frames = new FrameFence();
  const reads = new ReadBacks(onReadback);
  let lastFrame = -1;
  recorder.onFrameFinished((frame) => {
    lastFrame = frame;
    reads.frameRecorded();
  });

  let isInCall = false;
  const thrownInCall: unknown[] = [];
  const executorOptions = {
    ...options,
    reader: wrapReader ? wrapReader(reader) : reader,
    surface: options.surface ?? null,
    maxFramesInFlight,
    onError: (error: unknown): void => {
      if (isInCall) thrownInCall.push(error);
      else rhi.onError(error);
    },
    onReadback: reads.answer,
    onFrame: (stats: Parameters<NonNullable<typeof onFrame>>[0]): void => {
      frames.submitted(stats.frame, executor.submitted.value, executor.completed.value);
      onFrame?.(stats);
    },
  };
  const onGpu = device && new CompleteWebGpuExecutor({ ...executorOptions, device });
  // A pass that is compared with the last frame's executes at its end, not in each call.
  if (onGpu && bypass) onGpu.passBundles = undefined;
  const executor: CompleteExecutor = onGpu ?? new CompleteNullExecutor(executorOptions);
  executor.completed.subscribe(() => {
    const { error, value } = executor.completed;
    frames.completed(value);
    reads.framesCompleted(frames.count);
    if (error !== null) {
      frames.fence.fail(error);
      reads.fail(error);
    }
  });

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

  const rhi: Rhi = {
    context: bypass ? executeAtOnce(recorder, executeNow) : recorder,
    executor,
    capabilities,
    submitted: executor.submitted,
    completed: executor.completed,
    onError: options.onError ?? console.error,
    whenCompleted: (frame) => frames.fence.whenReached(frame + 1),
    read: (buffer, byteOffset, byteLength) => {
      recorder.handles.check(buffer, 'be read');
      return reads.expect(recorder.handles.label(buffer), (request) =>
        rhi.context.readBuffer(request, buffer, byteOffset, byteLength),
      );
    },
    flush: async () => {
      writer.publish();
      executor.pump();
      await frames.fence.whenReached(lastFrame + 1);
      // Once more, for what was recorded behind a frame that had to wait.
      executor.pump();
      await device?.queue.onSubmittedWorkDone();
    },
    dispose: () => {
      if (executor.completed.error === null) {
        recorder.discardSubLists();
        writer.publish();
      }
      // It fails the fences, and with them whoever waits here.
      return executor.dispose();
    },
  };
  return rhi;
}

function adapterName({ adapterInfo }: GPUDevice): string {
  return adapterInfo?.description || adapterInfo?.vendor || 'unknown';
}

/** Turns numbers of lists into numbers of frames: the fence has the last completed frame plus one. */
class FrameFence {
  readonly fence = new Fence('completed frames');
  /** Frames completed. */
  count = 0;
  readonly #pending: { readonly frame: number; readonly list: number }[] = [];

  /** @param list how many lists were submitted with the end of this frame */
  submitted(frame: number, list: number, completed: number): void {
    this.#pending.push({ frame, list });
    this.completed(completed);
  }

  completed(lists: number): void {
    for (let first = this.#pending[0]; first && first.list <= lists; first = this.#pending[0]) {
      this.#pending.shift();
      this.count++;
      this.fence.signal(first.frame + 1);
    }
  }
}
