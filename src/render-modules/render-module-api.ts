/**
 * What a render module is given: the types that its author writes against. The module is an ES module whose default
 * export is called on the render thread, wherever that is; it imports nothing of the package, because bare imports
 * never resolve in workers (DESIGN §9).
 *
 *   export default ({ defineCommand, onFrame, scene }) => {
 *     defineCommand('spin', ({ actor, speed }) => …);
 *     onFrame(({ timeSeconds }) => scene.setRotation(actor, …));
 *   };
 */

import type { CapturedFrame } from '../proxy/unpack-capture.js';
import type { FenceDescriptor, MonitoredFence } from '../sync/fences/monitored-fence.js';
import type { RenderGraph } from './render-graph-api.js';

/** The default export of a render module. What it returns is awaited before `addRenderModule` resolves. */
export type RenderModuleSetUp = (api: RenderModuleApi) => void | Promise<void>;

/** The frame that a command or callback belongs to. */
export interface RenderFrame {
  /** The game's frame; while the game is late, several of the render thread's have the same number. */
  readonly frame: number;
  /** Scene time since the last frame that was drawn, in seconds. */
  readonly deltaSeconds: number;
  /** Scene time, in seconds. */
  readonly timeSeconds: number;
}

/** The render thread's scene. Actors go by the number that `RenderModule.idOf` gives; only inside handlers and callbacks. */
export interface RenderScene {
  /** Whether the actor is known here: it is in the world, and the frame that brings it has come. */
  has(actor: number): boolean;
  /**
   * 16 numbers, column by column: `worldFromLocal`, metres. Throws SceneError `unknown-node`.
   * @param out where they go; a new array by default
   */
  worldTransform(actor: number, out?: Float64Array): Float64Array;
  /** 10 numbers: position, rotation (quaternion), scale, relative to the parent. */
  localTransform(actor: number, out?: Float32Array): Float32Array;
  /** Likewise; holds until the game changes the actor's transform. */
  setLocalTransform(actor: number, transform: ArrayLike<number>): void;
  setPosition(actor: number, x: number, y: number, z: number): void;
  setRotation(actor: number, x: number, y: number, z: number, w: number): void;
  /**
   * Numbers of the material that the actor shows, and all others that share it; until the game changes the material.
   * Throws SceneError `unknown-material`.
   */
  setMaterial(actor: number, parameters: RenderMaterialParameters): void;
}

export interface RenderMaterialParameters {
  /** Linear red, green, blue, and alpha. */
  readonly baseColor?: readonly [number, number, number, number];
  /** Linear red, green, blue, strength multiplied in. */
  readonly emissive?: readonly [number, number, number];
  /** 0 … 1 */
  readonly metallic?: number;
  /** 0 … 1 */
  readonly roughness?: number;
}

/** What carries out a command. A promise that it returns is not awaited; its rejection is reported. */
export type RenderCommandHandler<Data = unknown> = (data: Data, frame: RenderFrame) => unknown;

export interface RenderModuleApi {
  /** What `addRenderModule` was given as `data`. */
  readonly data: unknown;
  /** True when other threads have taken over and the module was loaded again. */
  readonly isRestored: boolean;
  readonly scene: RenderScene;
  /** Passes of the module in the graph of each frame. */
  readonly graph: RenderGraph;
  /**
   * Defines a command that the game can send; during set-up only.
   * @param handler called with a copy of what was sent, in order with all other commands, once. `Data` is what the page
   *   sends under this name; nobody checks it.
   * @throws StateError `render-command-refused`, `render-module-removed`
   */
  defineCommand<Data = unknown>(name: string, handler: RenderCommandHandler<Data>): void;
  /**
   * Calls back before each frame is recorded, in the order of registration; also for frames that this thread draws by
   * itself while the game is late. One that throws is ended.
   * @returns a function that ends it
   */
  onFrame(callback: (frame: RenderFrame) => void): () => void;
  /** Calls back when the module is removed, or its thread ends or changes. */
  onRemoved(callback: () => void): void;
  /** Executes a command of this module, now. */
  send(name: string, data?: unknown): void;
  /** Tells the page: `RenderModule.onMessage`. The value is cloned. */
  post(value: unknown, transfer?: Transferable[]): void;
  /**
   * Opens a fence of the page's (`engine.fences`) on this thread: to signal and wait for it here, and by the two calls
   * below. It is closed with the module, and opened anew by one that was loaded again.
   * @param descriptor what `share()` returned
   * @throws (rejects) StateError `fences-not-connected`, `fence-gone`; OptionError `fence-of-another-group`
   */
  openFence(descriptor: FenceDescriptor): Promise<MonitoredFence>;
  /**
   * The GPU signals the fence: in a command or callback when it has done the frame that is drawn next, else what was
   * recorded so far. @throws StateError `fence-not-open`, `bad-fence-value`
   */
  signalFence(fence: MonitoredFence, value: number | bigint): void;
  /**
   * The GPU is given the frames from the next one on when the fence has reached the value. Nothing blocks meanwhile; the
   * game goes on until as many frames are under way as may be. @throws StateError `fence-not-open`, `bad-fence-value`
   */
  waitFence(fence: MonitoredFence, value: number | bigint): void;
  /** The picture of the next frame that is drawn, as `captureFrame` answers it. Nothing waits meanwhile. */
  readBack(): Promise<CapturedFrame>;
  /** Resolves when the game's frame is submitted to the canvas. Nothing waits meanwhile. */
  whenSubmitted(frame: number): Promise<void>;
  /** Resolves when the GPU has completed the game's frame. */
  whenCompleted(frame: number): Promise<void>;
}
