import { errorToData, FencepostError, isTyped } from '../../core/errors.js';
import { type EventRing, TimelineEvent } from '../../core/events/event-ring.js';
import { ArrayTally, leaveTally } from '../../core/memory/array-tally.js';
import { readDouble } from '../../core/records/wide-words.js';
import type { StreamReader, StreamWriter } from '../../core/streams/stream.js';
import { RenderFrameFlag, RenderOpcode } from '../../proxy/commands.js';
import type { Renderer } from '../../render/renderer.js';
import { FrameFlag } from '../../rhi/commands/commands.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { SignallableFence, WaitableFence } from '../../sync/waitable.js';
import { FrameStat, noteBytes } from '../control/frame-stats.js';
import { RenderWorlds } from './render-worlds.js';
import type { WorldFeatures } from './world-features.js';

export interface RenderThreadOptions {
  readonly reader: StreamReader;
  readonly rhiWriter: StreamWriter;
  readonly rhi: ImmediateContext;
  readonly renderer: Renderer;
  readonly maxFramesInFlight: number;
  /** Signalled with N when frame N has been recorded and published. */
  readonly rendered: SignallableFence;
  /** Counts the lists that the GPU has completed. */
  readonly completed: WaitableFence;
  /** The `FrameStat` block. The render thread writes its own part. */
  readonly stats: Float64Array;
  readonly events: EventRing;
  readonly onError: (error: unknown) => void;
  readonly onFrame: () => void;
}

export interface FrameHeader {
  frame: number;
  flags: number;
  deltaSeconds: number;
  timeSeconds: number;
  /** Number under which the picture is read back for a render module; 0: it is not read. */
  readBack?: number;
}

/**
 * The render thread's loop: executes render commands in order, exactly once, and records one RHI list per
 * frame. It runs on the main thread in `single` mode and in the render worker otherwise. It never blocks.
 *
 *   render commands   beginFrame 7 │ … │ endFrame 7 │ beginFrame 8 │ …
 *                                        │
 *                          gate: at most maxFramesInFlight + 2 lists in flight, with this one; RHI stream writable
 *                                        ▼
 *   RHI commands                 beginFrame 7 │ … │ endFrame 7     then `rendered` = 7
 *
 * Commands of frame N + 1 are not read before N is recorded. So changes that the game makes in N + 1 cannot
 * show in N (SYSTEMS G6). The gate limits the work in flight. It also makes reuse by frame number safe:
 * entries that frame N frees are used again from frame N + maxFramesInFlight + 2 on.
 *
 * A feature (`world-features.ts`) may record further lists of the last frame while the game is late.
 */
export class RenderThread {
  readonly #current: FrameHeader = { frame: 0, flags: 0, deltaSeconds: 0, timeSeconds: 0, readBack: 0 };
  readonly #worlds: RenderWorlds;
  #isFramePending = false;
  /** Whether the pending frame has been recorded, and further lists of captures follow. */
  #isCapturing = false;
  /**
   * Whether a frame has begun and is not recorded yet. Until its `endFrame`, the scene is a mix of two frames.
   */
  #isInFrame = false;
  /** Number of recorded lists: at least the number of game frames. */
  #lists = 0;
  #isWaiting = false;
  #isStopped = false;
  #waitMilliseconds = 0;
  #executeMilliseconds = 0;
  #commandWords = 0;
  #rhiBytesBefore = 0;
  /** Memories that loops share with helpers; null without helpers. */
  loopMemories: { readonly byteLength: number } | null = null;
  /** Counts the scene's arrays. */
  readonly #arrays = new ArrayTally();
  readonly #options: RenderThreadOptions;

  constructor(options: RenderThreadOptions) {
    this.#options = options;
    const host = {
      isIdle: () => this.#isIdle,
      recordAgain: (timeSeconds: number) => this.#recordAgain(timeSeconds),
    };
    this.#worlds = new RenderWorlds(options.renderer, host, this.#current);
    options.reader.onAvailable = () => this.pump();
  }

  /** Features of the engine's own world. */
  get features(): WorldFeatures {
    return this.#worlds.features;
  }

  stop(reason?: FencepostError): void {
    this.#isStopped = true;
    this.#worlds.stop();
    this.#options.reader.onAvailable = null;
    this.#options.reader.close(reason);
  }

  /**
   * Executes the commands that have arrived, as far as the gate allows. Called when commands arrive, and when a wait
   * ends.
   */
  pump(): void {
    if (this.#isStopped || this.#isWaiting) return;
    const before = this.#arrays.enter();
    try {
      for (;;) {
        while (this.#isFramePending) if (!this.#renderPendingFrame()) return;
        if (!this.#executeCommands()) return;
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      leaveTally(before);
    }
  }

  /** Executes commands, up to the end of a frame. Returns false if the end of the frame has not arrived yet. */
  #executeCommands(): boolean {
    const { reader, events } = this.#options;
    let began = 0;
    let isFrameEnd = false;
    while (!isFrameEnd && reader.next()) {
      began ||= events.begin(TimelineEvent.commands, this.#current.frame);
      this.#commandWords += reader.fieldWords + 1;
      const { opcode } = reader;
      if (opcode === RenderOpcode.beginFrame) this.#readFrameHeader();
      else if (opcode === RenderOpcode.endFrame) isFrameEnd = this.#isFramePending = true;
      else {
        try {
          this.#worlds.execute(reader, this.#current);
        } catch (error) {
          // A rejected command (a typed error) must not end the scene. Any other error is a bug.
          if (!isTyped(error)) throw error;
          this.#options.onError(error);
        }
      }
    }
    if (began)
      this.#executeMilliseconds += events.end(TimelineEvent.commands, this.#current.frame, began) - began;
    return isFrameEnd;
  }

  #readFrameHeader(): void {
    const { words, floats, fields } = this.#options.reader;
    this.#isInFrame = true;
    this.#current.frame = words[fields] as number;
    this.#current.flags = words[fields + 1] as number;
    this.#current.deltaSeconds = floats[fields + 2] as number;
    this.#current.timeSeconds = readDouble(words, fields + 3);
  }

  /**
   * Records a list of the pending frame and returns true, or begins to wait for the gate and returns false. A frame has
   * one list, and further lists while captures need them. The frame counts as rendered after its last list.
   */
  #renderPendingFrame(): boolean {
    const { rhiWriter, completed, rendered, maxFramesInFlight } = this.#options;
    const oldestNeeded = this.#lists - maxFramesInFlight - 1;
    if (!completed.isReached(oldestNeeded))
      return this.#wait(completed.whenReached(oldestNeeded), oldestNeeded);
    if (!rhiWriter.isWritable) return this.#wait(rhiWriter.whenWritable(), 0);
    const { frame, flags } = this.#current;
    if (!this.#isCapturing) this.#worlds.beginFrame(this.#current);
    const ended = this.#record(flags);
    this.#isCapturing = this.#options.renderer.features.captures?.isPending ?? false;
    if (this.#isCapturing) return true;
    this.#isFramePending = this.#isInFrame = false;
    // Write the event before the signal, because waiters may read the events at once.
    this.#options.events.end(TimelineEvent.rendered, frame, ended);
    atFrameStep('recorded', frame);
    this.#options.onFrame();
    rendered.signal(frame);
    return true;
  }

  /** Records a list. Returns the time at its end. */
  #record(flags: number): number {
    const { rhi, rhiWriter, renderer, stats, events } = this.#options;
    const { frame } = this.#current;
    this.#current.flags = flags;
    const isCapture = this.#isCapturing;
    if (!isCapture) this.#worlds.beginList(this.#current);
    const began = events.begin(TimelineEvent.record, frame);
    // A step skips no draw. Work that is done only once, like mip levels, must not be skipped either.
    const mustBeComplete = isCapture || (flags & RenderFrameFlag.step) !== 0 || renderer.mustNotSkip;
    const surface = renderer.isTranslucent ? FrameFlag.translucentSurface : 0;
    const complete = mustBeComplete ? FrameFlag.waitForPipelines : 0;
    rhi.beginFrame(frame, surface | complete);
    atFrameStep('recording', frame);
    if (isCapture) renderer.features.captures?.record(frame, this.#current.timeSeconds);
    else renderer.renderFrame(this.#current);
    rhi.endFrame();
    if (!isCapture) this.#worlds.endList();
    rhi.publish();
    this.#lists++;

    const isDriven = (flags & (RenderFrameFlag.step | RenderFrameFlag.running)) === RenderFrameFlag.step;
    if (renderer.hasDeletes && !isDriven) this.#deleteAtRest(this.#lists);

    const bytes = rhiWriter.bytesWritten - this.#rhiBytesBefore;
    const ended = events.end(TimelineEvent.record, frame, began, bytes);
    if (!isCapture) {
      stats[FrameStat.renderThreadMs] = this.#executeMilliseconds + ended - began;
      stats[FrameStat.renderWaitMs] = this.#waitMilliseconds;
      stats[FrameStat.primitives] = renderer.stats.primitives;
      stats[FrameStat.visible] = renderer.stats.visible;
      stats[FrameStat.renderCommandBytes] = this.#commandWords * 4;
      stats[FrameStat.rhiCommandBytes] = bytes;
    }
    noteBytes(stats, 'streams', rhiWriter.pageBytes);
    noteBytes(stats, 'sceneArrays', this.#arrays.bytes);
    noteBytes(stats, 'frameArrays', renderer.frameMemory.byteLength);
    noteBytes(stats, 'loops', this.loopMemories?.byteLength ?? 0);
    this.#rhiBytesBefore += bytes;
    this.#commandWords = this.#executeMilliseconds = this.#waitMilliseconds = 0;
    return ended;
  }

  /**
   * Records pending deletes once the GPU has completed the list, if no frame has followed (SYSTEMS L2). Otherwise a
   * page that draws no further frame would keep the resources. After a step, deletes wait for later frames, so that the
   * bytes of commands do not depend on the GPU's speed.
   */
  #deleteAtRest(list: number): void {
    const { rhi, renderer, completed } = this.#options;
    completed
      .whenReached(list)
      .then(
        () => {
          if (this.#lists > list || this.#isInFrame || this.#isStopped) return;
          renderer.recordDeletes();
          rhi.publish();
        },
        // The loss of the device is reported elsewhere.
        () => {},
      )
      .catch((error: unknown) => this.#fail(error));
  }

  /** Whether a feature may record another list. */
  get #isIdle(): boolean {
    const { completed, rhiWriter, maxFramesInFlight } = this.#options;
    return (
      !(this.#isInFrame || this.#isWaiting || this.#isStopped) &&
      rhiWriter.isWritable &&
      completed.isReached(this.#lists - maxFramesInFlight + 1)
    );
  }

  /** Records another list of the last frame, for a feature. @param timeSeconds scene time that the list shows */
  #recordAgain(timeSeconds: number): void {
    const before = this.#arrays.enter();
    try {
      this.#current.timeSeconds = timeSeconds;
      this.#record(0);
      this.#options.onFrame();
    } catch (error) {
      this.#fail(error);
    } finally {
      leaveTally(before);
    }
  }

  /**
   * Continues once the condition has resolved. Always returns false, so that `pump` stops.
   * @param list the list whose completion is awaited; 0 if the stream is awaited
   */
  #wait(condition: Promise<void>, list: number): false {
    const { events } = this.#options;
    const { frame } = this.#current;
    this.#isWaiting = true;
    const began = events.begin(TimelineEvent.renderWait, frame);
    condition.then(
      () => {
        this.#isWaiting = false;
        this.#waitMilliseconds += events.end(TimelineEvent.renderWait, frame, began, list) - began;
        this.pump();
      },
      (error: unknown) => this.#fail(error),
    );
    return false;
  }

  /** Stops the thread after an exception, permanently, and rejects all waits for it with the reason. */
  #fail(error: unknown): void {
    if (this.#isStopped) return;
    const { name, code, message } = errorToData(error);
    const typed = isTyped(error) ? error : new FencepostError(code, `${name}: ${message}`, { cause: error });
    // The stream and the fence carry the same error, because either may be noticed first.
    this.stop(typed);
    this.#options.rendered.fail(typed);
  }
}

/**
 * Steps of a frame at which an end-to-end test can stop the render thread, or throw. The test defines a
 * function on the thread's global scope. Without this function, a step only looks up a property.
 */
type FrameStep = 'recording' | 'recorded';

declare global {
  var fencepostFrameStep: ((step: FrameStep, frame: number) => void) | undefined;
}

/** Calls the test's function, if one is defined. Called per frame. */
function atFrameStep(step: FrameStep, frame: number): void {
  globalThis.fencepostFrameStep?.(step, frame);
}
