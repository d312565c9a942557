/**
 * Fencepost: a WebGPU engine for the browser that keeps the page's main thread free.
 *
 * Importing this module does nothing by itself; `createEngine` starts the threads.
 */
import { composeEngine } from './threads/main/compose-engine.js';
import type { Engine } from './threads/main/engine.js';
import { DEFAULT_OPTIONS, type EngineOptions } from './threads/main/engine-options.js';
import { part } from './threads/main/lazily.js';

export {
  AssetError,
  FencepostError,
  OptionError,
  PlatformError,
  RhiError,
  SceneError,
  StateError,
  StreamError,
  ThreadError,
} from './core/errors.js';
export * from './game/index.js';
export { type OrbitControls, type OrbitControlsOptions, orbitControls } from './game/orbit-controls.js';
export type { ToneMapping } from './proxy/commands.js';
export type { LoadProgress } from './proxy/scene-description.js';
export type { LeakReport } from './rhi/host/executor.js';
export type { EngineStats } from './threads/control/frame-stats.js';
export type { CapturedFrame } from './threads/main/capture.js';
export type { DrawingThread } from './threads/main/drawing-token.js';
export type { Engine } from './threads/main/engine.js';
export type { EngineEventDetails } from './threads/main/engine-events.js';
export type { BackgroundColor, EngineOptions, ThreadingMode } from './threads/main/engine-options.js';
export type { FlushDegree, FlushOptions } from './threads/main/flush-degree.js';
export type { FramePrerequisite, PrerequisiteOptions } from './threads/main/frame-prerequisites.js';
export type {
  ChromeTrace,
  ChromeTraceEvent,
  TimelineHandle,
  TimelineOptions,
} from './threads/main/timeline.js';
export type { WorkerUrl } from './threads/main/worker-location.js';
export type { RenderModule } from './threads/modules/render-module.js';
export type {
  RenderCommandHandler,
  RenderFrame,
  RenderMaterialParameters,
  RenderModuleApi,
  RenderModuleSetUp,
  RenderScene,
} from './threads/modules/render-module-api.js';
export type { JsonValue, RenderCommandData } from './threads/modules/render-module-messages.js';
export type { FenceReach, RenderFence, RenderModuleOptions } from './threads/modules/render-work.js';

/**
 * Creates an engine that draws into a canvas, or into a canvas of its own inside any other element.
 *
 * @param target a canvas that nobody else draws to, or a container element (recommended: listeners on it survive a changed canvas)
 * @param options see `EngineOptions`
 * @throws the reason of `options.signal` when it is aborted meanwhile; OptionError `canvas-missing`, `option-unknown`, `option-invalid`, `option-out-of-range`; PlatformError `webgpu-missing`,
 *   `adapter-missing`, `device-missing`, `canvas-in-use`, `part-missing`; ThreadError `worker-failed-to-start`,
 *   `worker-start-timeout`, `features-missing`
 * @example
 * const engine = await createEngine(document.querySelector('canvas')!);
 * engine.world.addCamera({ position: [3, 2, 4], lookAt: [0, 0, 0] });
 * engine.start();
 */
export async function createEngine(target: HTMLElement, options?: EngineOptions): Promise<Engine> {
  if (options === undefined) return composeEngine(target, DEFAULT_OPTIONS);
  const { resolveOptions } = await part(import('./threads/main/option-checks.js'));
  return composeEngine(target, resolveOptions(options), options.signal);
}
