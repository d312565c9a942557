/**
 * `fencepost/rhi`: the rendering hardware interface alone. A recorder writes commands into a page stream. An executor
 * on the thread that owns the device turns the commands into WebGPU calls. The null executor runs commands without a
 * GPU, and draws nothing. The caller provides the `GPUDevice`, so the interface also runs in Node.
 *
 * @example
 * const { device } = await openDevice(navigator.gpu);
 * const rhi = createRhi({ device, surface: canvas });
 * rhi.context.beginFrame(0);
 * // … commands …
 * rhi.context.endFrame();
 * await rhi.whenCompleted(0);
 */
export {
  FencepostError,
  OptionError,
  PlatformError,
  RhiError,
  StateError,
  StreamError,
  ThreadError,
} from './core/errors.js';
export type { StreamReader, StreamWriter } from './core/streams/stream.js';
export type {
  Capture,
  CapturedAttachment,
  CapturedContent,
  CapturedRenderCommands,
} from './rhi/capture/capture-file.js';
export type { BoundState, ListedCommand, ListedFrame, ListedPass } from './rhi/capture/capture-listing.js';
export { type CaptureInput, decodeCapture } from './rhi/capture/decode-capture.js';
export { FlightRecorder, type FlightRecorderOptions } from './rhi/capture/flight-recorder.js';
export type { Picture } from './rhi/capture/picture.js';
export { type FramePicture, type ReplayOptions, type ReplayResult, replay } from './rhi/capture/replay.js';
export { openReplay, type ReplaySession, type TargetPicture } from './rhi/capture/replay-session.js';
export { RhiCapture, type RhiCaptureOptions } from './rhi/capture/rhi-capture.js';
export type { CapturableRhi, CapturedBackend, CaptureSource } from './rhi/capture/stream-recorder.js';
export {
  capabilityVersion,
  type RequiredCapabilities,
  requireCapabilities,
} from './rhi/commands/capabilities.js';
export { FrameFlag, QueueHint, RhiOpcode, rhiCommands } from './rhi/commands/commands.js';
export * from './rhi/commands/descriptors.js';
export { describeHandle } from './rhi/commands/handles.js';
export { checkLimits, type LimitedDescriptors } from './rhi/commands/limits.js';
export {
  type UnsupportedCommand,
  unsupported,
  unsupportedCommands,
} from './rhi/commands/unsupported-commands.js';
export type {
  Executor,
  ExecutorOptions,
  Leak,
  LeakReport,
  LocalCommand,
  RhiFrameStats,
} from './rhi/execute/executor.js';
export { executeAtOnce } from './rhi/host/bypass.js';
export type { Validate, WrapperTools } from './rhi/host/compose-execution.js';
export { type ConnectedQueue, type ConnectFencesOptions, connectFences } from './rhi/host/connect-fences.js';
export {
  createRhi,
  type Rhi,
  type RhiOptions,
} from './rhi/host/create-rhi.js';
export { createLocalStream } from './rhi/host/local-stream.js';
export { assumeNotInUse, destroyNow } from './rhi/mapping/assume-not-in-use.js';
export { BufferMapping, type BufferMappingOptions, type MappableRhi } from './rhi/mapping/buffer-mapping.js';
export { CpuShadow } from './rhi/mapping/cpu-shadow.js';
export {
  type MapMode,
  type MapOptions,
  MappedBuffer,
  type ReadMapMode,
  type WriteMapMode,
} from './rhi/mapping/mapped-buffer.js';
export {
  DYNAMIC_PAGE_BYTES,
  DynamicAllocation,
  DynamicBuffers,
  type DynamicBuffersOptions,
} from './rhi/memory/dynamic-buffers.js';
export { reportSuballocator, Suballocator, type SuballocatorReport } from './rhi/memory/suballocator.js';
export { NullExecutor, type NullExecutorOptions, nullCapabilities } from './rhi/null/executor.js';
export {
  type CheckedContextOptions as ImmediateContextOptions,
  CheckedDeferredContext as DeferredContext,
  CheckedImmediateContext as ImmediateContext,
  type SubListOptions,
} from './rhi/record/checked-contexts.js';
export type { CommandContext } from './rhi/record/command-context.js';
export { RESERVED_WRITE_BYTES } from './rhi/record/command-context.js';
export {
  type CommandList,
  type CommandListState,
  transferablesOf,
} from './rhi/record/command-list.js';
export type { DrawRecorder } from './rhi/record/draw-bundle.js';
export type { FrameEnds, FrameListener } from './rhi/record/frame-ends.js';
export {
  millisecondsBetween,
  QueryReadback,
  type QueryReadbackOptions,
  type QueryRhi,
} from './rhi/record/query-readback.js';
export type { RecordingRhi } from './rhi/record/rhi-recorder.js';
export type { TextureReadRegion } from './rhi/record/texture-read.js';
export { guardThread, type ThreadIdentity, ThreadRoles } from './rhi/record/thread-guard.js';
export { type TraceOptions, traceList } from './rhi/record/trace.js';
export { type ValidationCode, validationMessages } from './rhi/validation/messages.js';
export { type ValidatingReader, type ValidationOptions, validate } from './rhi/validation/validate.js';
export {
  type OpenDevice,
  type OpenDeviceOptions,
  openRequiredDevice as openDevice,
} from './rhi/webgpu/device/open-device.js';
export type { WebGpuExecutorOptions } from './rhi/webgpu/executor.js';
export { WebGpuExecutor } from './rhi/webgpu/executor.js';
export * from './sync/fences/public.js';
export type { SignallableFence, WaitableFence } from './sync/waitable.js';
