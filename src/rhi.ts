/**
 * `fencepost/rhi`: the rendering hardware interface alone. A recorder writes commands into a page stream; an
 * executor on the thread that owns the device turns them into WebGPU (or, with the null executor, into nothing).
 * Takes a `GPUDevice` from whoever has one, so it also runs in Node.
 *
 * @example
 * const { device } = await openDevice(navigator.gpu);
 * const rhi = createRhi({ device, surface: canvas });
 * rhi.context.beginFrame(0);
 * // … commands …
 * rhi.context.endFrame();
 * await rhi.flush();
 */
export { connectStreamReader, connectStreamWriter, createLocalStream } from './core/page-stream.js';
export { executeAtOnce } from './rhi/bypass.js';
export { FrameFlag, QueueHint, RhiOpcode, rhiCommands } from './rhi/commands.js';
export {
  CompleteImmediateContext as ImmediateContext,
  type FrameEnds,
  type FrameListener,
} from './rhi/complete-context.js';
export { createRhi, type Rhi, type RhiOptions } from './rhi/create-rhi.js';
export * from './rhi/descriptors.js';
export type { Executor, ExecutorOptions, Leak, LeakReport, RhiFrameStats } from './rhi/executor.js';
export { describeHandle } from './rhi/handles.js';
export type { ImmediateContextOptions } from './rhi/immediate-context.js';
export { NullExecutor, nullCapabilities } from './rhi/null/executor.js';
export { type TraceOptions, traceList } from './rhi/trace.js';
export { CompleteWebGpuExecutor as WebGpuExecutor } from './rhi/webgpu/complete/complete-executor.js';
export type { WebGpuExecutorOptions } from './rhi/webgpu/executor.js';
export { type OpenDevice, openDevice } from './rhi/webgpu/open-device.js';
