/**
 * Tools of the engine's threads that few shipped pages use: captures, validation, the null backend, the frame graph's
 * description, render modules, fences shared with the page, tasks on named threads. A worker loads them as one file
 * (`worker-tools.js`) with the first call or option that needs one; in `single` mode they are a chunk of the page.
 */
import type { ExecutorOptions } from '../../rhi/execute/executor.js';
import { NullExecutor, nullCapabilities } from '../../rhi/null/executor.js';
import { createCaptureCalls } from './capture-calls.js';
import { createFenceCalls } from './fence-calls.js';
import { createGraphCalls } from './graph-calls.js';
import { createModuleCalls } from './module-calls.js';
import { createTaskCalls } from './task-calls.js';
import type { ThreadSides } from './thread-api.js';
import type { ToolCalls } from './tool-calls.js';

export { validate } from '../../rhi/validation/validate.js';
export { nullCapabilities };

export const createNullExecutor = (options: ExecutorOptions): NullExecutor => new NullExecutor(options);

/** Answers the control calls that take these tools. Called once per connection. */
export function createToolCalls(thread: ThreadSides): ToolCalls {
  return {
    ...createCaptureCalls(thread),
    ...createGraphCalls(thread),
    ...createFenceCalls(thread),
    ...createModuleCalls(thread),
    ...createTaskCalls(thread),
  };
}
