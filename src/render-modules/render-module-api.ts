/**
 * The types of the API that a render module receives. The module is an ES module whose default export is called on the
 * render thread. It imports nothing of the package, because workers can't resolve bare imports.
 *
 *   export default ({ defineCommand, onFrame, scene }) => {
 *     defineCommand('spin', ({ actor, speed }) => …);
 *     onFrame(({ timeSeconds }) => scene.setRotation(actor, …));
 *   };
 */

import type { CapturedFrame } from '../proxy/unpack-capture.js';
import type { FenceDescriptor, MonitoredFence } from '../sync/fences/monitored-fence.js';
import type { RenderGraph } from './render-graph-api.js';

/** The default export of a render module. `addRenderModule` awaits the returned promise. */
export type RenderModuleSetUp = (api: RenderModuleApi) => void | Promise<void>;

/** The frame that a command or callback belongs to. */
export interface RenderFrame {
  /** Number of the game's frame. While the game is late, several frames of the render thread have the same number. */
  readonly frame: number;
  /** Scene time since the last frame that was drawn, in seconds. */
  readonly deltaSeconds: number;
  /** Scene time, in seconds. */
  readonly timeSeconds: number;
}

/**
 * The render thread's scene, for use in set-up, handlers, frame callbacks and passes, but not after an `await`. Actors
 * have the numbers that `RenderModule.idOf` returns.
 */
export interface RenderScene {
  /** Returns whether the render thread has the actor: it is in the world, and its first frame has arrived. */
  has(actor: number): boolean;
  /**
   * Returns `worldFromLocal` of an actor: 16 numbers, column by column, in metres.
   * @param out receives the numbers; default: a new array
   * @throws SceneError `unknown-node`
   */
  worldTransform(actor: number, out?: Float64Array): Float64Array;
  /** Returns 10 numbers relative to the parent: position, rotation (quaternion), scale. */
  localTransform(actor: number): Float64Array;
  /** @param out receives the numbers. A `Float32Array` rounds the position to 3 cm at 500 km */
  localTransform<T extends Float32Array | Float64Array>(actor: number, out: T): T;
  /** Sets the 10 numbers of `localTransform`. They apply until the game changes the actor's transform. */
  setLocalTransform(actor: number, transform: ArrayLike<number>): void;
  setPosition(actor: number, x: number, y: number, z: number): void;
  setRotation(actor: number, x: number, y: number, z: number, w: number): void;
  /**
   * Sets numbers of the actor's material, also for all other actors that share the material. They apply until the game
   * changes the material.
   * @throws SceneError `unknown-material`
   */
  setMaterial(actor: number, parameters: RenderMaterialParameters): void;
}

export interface RenderMaterialParameters {
  /** Linear red, green, blue and alpha. */
  readonly baseColor?: readonly [number, number, number, number];
  /** Linear red, green and blue, multiplied by the strength. */
  readonly emissive?: readonly [number, number, number];
  /** From 0 to 1. */
  readonly metallic?: number;
  /** From 0 to 1. */
  readonly roughness?: number;
}

/**
 * Executes a command of a render module. If it returns a promise, the promise is not awaited, but its rejection is
 * reported.
 */
export type RenderCommandHandler<Data = unknown> = (data: Data, frame: RenderFrame) => unknown;

export interface RenderModuleApi {
  /** A clone of the option `data` of `addRenderModule`. */
  readonly data: unknown;
  /** Whether the module was loaded again, because other threads have taken over. */
  readonly isRestored: boolean;
  readonly scene: RenderScene;
  /** Adds passes of the module to the graph of each frame. */
  readonly graph: RenderGraph;
  /**
   * Defines a command that the game can send. Only possible during set-up.
   * @param handler called once per sent command. The page's commands to all modules are executed in the order in which
   *   it sent them, each with a copy of its data. `Data` is the type that the page sends; it is not checked.
   * @throws StateError `render-command-refused`, `render-module-removed`
   */
  defineCommand<Data = unknown>(name: string, handler: RenderCommandHandler<Data>): void;
  /**
   * Registers a callback, called before each frame is recorded, in the order of registration. It is also called for
   * frames that this thread draws by itself while the game is late. A callback that throws is removed.
   * @returns a function that removes the callback
   */
  onFrame(callback: (frame: RenderFrame) => void): () => void;
  /** Registers a callback, called when the module is removed or its thread ends. */
  onRemoved(callback: () => void): void;
  /** Executes a command of this module at once. */
  send(name: string, data?: unknown): void;
  /** Sends a clone of a value to the page (`RenderModule.onMessage`). */
  post(value: unknown, transfer?: Transferable[]): void;
  /**
   * Opens a fence of the page (`engine.fences`) on this thread. The module can signal and await the fence, and pass it
   * to `signalFence` and `waitFence`. The fence is closed when the module ends. A module that is loaded again has to
   * open it again.
   * @param descriptor result of the fence's `share()`
   * @throws (rejects) StateError `fences-not-connected`, `fence-gone`; OptionError `fence-of-another-group`
   */
  openFence(descriptor: FenceDescriptor): Promise<MonitoredFence>;
  /**
   * Makes the GPU signal the fence. In a command, a frame callback or a pass, the signal follows the frame to which the
   * call belongs. Elsewhere, also in set-up, it follows the commands recorded so far.
   * @throws StateError `fence-not-open`, `fence-of-queue`, `bad-fence-value`
   */
  signalFence(fence: MonitoredFence, value: number | bigint): void;
  /**
   * Delays the GPU's work until the fence has reached the value. The first delayed frame is the frame to which the call
   * belongs, or outside commands and callbacks the next frame. No thread is blocked. The game continues until the limit
   * of frames in flight is reached.
   * @throws StateError `fence-not-open`, `bad-fence-value`
   */
  waitFence(fence: MonitoredFence, value: number | bigint): void;
  /**
   * Reads back the picture of the next frame to be recorded, as `captureFrame` does. In a command or frame callback,
   * that is the frame to which the call belongs. No thread is blocked.
   */
  readBack(): Promise<CapturedFrame>;
  /** Resolves when the game's frame is submitted to the canvas. No thread is blocked. */
  whenSubmitted(frame: number): Promise<void>;
  /** Resolves when the GPU has completed the game's frame. */
  whenCompleted(frame: number): Promise<void>;
}
