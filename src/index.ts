/**
 * Fencepost: a WebGPU engine for the browser that keeps the page's main thread free.
 *
 * Importing this module has no side effects; `createEngine` starts the threads.
 */

import { createEngine as createEngineOf } from './engine/creation/compose-engine.js';
import type { Engine } from './engine/engine.js';
import type { EngineOptions } from './engine/options/engine-options.js';

export {
  AssetError,
  FencepostError,
  GraphError,
  OptionError,
  PlatformError,
  RhiError,
  SceneError,
  StateError,
  StreamError,
  ThreadError,
} from './core/errors.js';
export type { Setting, Settings } from './core/options/settings.js';
export type { CaptureOptions } from './engine/captures/capture-picture.js';
export type { Engine } from './engine/engine.js';
export type { EngineEventDetails } from './engine/events/engine-events.js';
export type { EngineFences, EngineFencesOptions } from './engine/fences/engine-fences.js';
export type { FlushDegree, FlushOptions } from './engine/frames/flush-degree.js';
export type { FramePrerequisite, PrerequisiteOptions } from './engine/frames/frame-prerequisites.js';
export type { StartOptions } from './engine/frames/frame-scheduler.js';
export type { FrameDescription } from './engine/graph-view/frame-description.js';
export type { GraphViewHandle, GraphViewOptions } from './engine/graph-view/frame-graph-view.js';
export type { EngineOptions, ThreadingMode } from './engine/options/engine-options.js';
export type { ResolutionScale } from './engine/options/resolution-scale.js';
export type { AttachElementOptions, ElementAttachment } from './engine/surfaces/attached-elements.js';
export type { ElementTarget } from './engine/surfaces/element-anchors.js';
export type { Tasks } from './engine/tasks/engine-tasks.js';
export type {
  ChromeTrace,
  ChromeTraceEvent,
  TimelineHandle,
  TimelineOptions,
} from './engine/timeline/timeline.js';
export type { ControlsSource } from './game/controls/controls-host.js';
export { type DragControls, dragControls } from './game/controls/drag-controls.js';
export type { DragControlsOptions } from './game/controls/drag-options.js';
export type { GizmoSnap, TransformGizmoOptions } from './game/controls/gizmo/gizmo-options.js';
export { type TransformGizmo, transformGizmo } from './game/controls/gizmo/transform-gizmo.js';
export { firstPersonControls, flyControls, type LookControls } from './game/controls/look/look-controls.js';
export type { LookControlsOptions } from './game/controls/look/look-options.js';
export { type OrbitControls, orbitControls } from './game/controls/orbit-controls.js';
export type {
  OrbitControlsHost,
  OrbitControlsOptions,
  OrbitFlightOptions,
  OrbitMoveOptions,
} from './game/controls/orbit-options.js';
export * from './game/index.js';
export type {
  GraphPicture,
  PictureAccess,
  PicturePass,
  PictureResource,
} from './graph/description/graph-picture.js';
export type {
  GraphBuffer,
  GraphBufferDescriptor,
  GraphTexture,
  GraphTextureDescriptor,
  LastingBufferDescriptor,
  LastingTextureDescriptor,
  PassBuilder,
  PassContext,
  UserPassBuilder,
} from './graph/graph-pass.js';
export type { ViewCaptureOptions } from './proxy/capture-options.js';
export type { ColorTable } from './proxy/color-table.js';
export type { DebugView, RendererName, ToneMapping, Transparency } from './proxy/commands.js';
export type { EffectName, EffectOptions, EffectSetting, EffectsOptions } from './proxy/effects.js';
export type { BackgroundColor } from './proxy/look.js';
export type { EnvironmentImage, LevelEnvironment, LoadProgress } from './proxy/scene-description.js';
export type { CapturedFrame } from './proxy/unpack-capture.js';
export type { RenderModule } from './render-modules/page/render-module.js';
export type { FenceReach, RenderFence, RenderModuleOptions } from './render-modules/page/render-work.js';
export type {
  PassPicture,
  PassStage,
  PassView,
  RenderGraph,
  RenderPass,
} from './render-modules/render-graph-api.js';
export type {
  RenderCommandHandler,
  RenderFrame,
  RenderMaterialParameters,
  RenderModuleApi,
  RenderModuleSetUp,
  RenderScene,
} from './render-modules/render-module-api.js';
export type { JsonValue, RenderCommandData } from './render-modules/render-module-messages.js';
export type { LeakReport } from './rhi/execute/executor.js';
export type { FenceInvitation, FenceOptions, WaitOptions } from './sync/fences/fence-options.js';
export type { Fences } from './sync/fences/fences.js';
export type { FenceLogEntry, FenceLogReader, FenceLogReading } from './sync/fences/logs/fence-log.js';
export type {
  FenceDescriptor,
  FencePoint,
  MonitoredFence,
} from './sync/fences/monitored-fence.js';
export type { TaskFuture } from './tasks/futures/task-future.js';
export type { TaskModule } from './tasks/system/loaded-tasks.js';
export type { TaskStats } from './tasks/system/task-system.js';
export type { DrawingThread } from './threads/connections/drawing-token.js';
export type { EngineStats, ViewStats } from './threads/control/frame-stats.js';
export type { MemoryStats, MemoryTags } from './threads/control/memory-stats.js';
export type { WorkerUrl } from './threads/library-files/worker-location.js';

/**
 * Creates an engine that draws into a canvas, or into a canvas that it adds to any other element.
 *
 * @param target a canvas without other users, or a container element (recommended: listeners on it survive a
 *   replaced canvas)
 * @param options see `EngineOptions`
 * @throws the reason of `options.signal` if it is aborted before the end; OptionError `canvas-missing`,
 *   `option-unknown`, `option-invalid`, `option-out-of-range`; PlatformError `webgpu-missing`, `adapter-missing`,
 *   `device-missing`, `canvas-in-use`, `offscreen-canvas-missing`, `part-missing`; ThreadError
 *   `worker-failed-to-start`, `worker-start-timeout`, `features-missing`
 * @example
 * const engine = await createEngine(document.querySelector('canvas')!);
 * engine.world.addCamera({ position: [3, 2, 4], lookAt: [0, 0, 0] });
 * engine.start();
 */
export function createEngine(target: HTMLElement, options?: EngineOptions): Promise<Engine>;
/** Creates an engine without a GPU, as in Node. Without a document, `engine.canvas` is an event target with a size. */
export function createEngine(
  target: HTMLElement | null,
  options: EngineOptions & { readonly backend: 'null' },
): Promise<Engine>;
export function createEngine(target: HTMLElement | null, options?: EngineOptions): Promise<Engine> {
  return createEngineOf(target, options);
}
