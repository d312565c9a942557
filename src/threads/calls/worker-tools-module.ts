/**
 * Tools of the engine's threads that few shipped pages use: captures, checks, traces, the RHI bypass, the null backend,
 * the frame graph's description, render modules, fences shared with the page, tasks on named threads. A worker loads
 * all tools as one file (`worker-tools.js`) when a call or an option first needs one of them. In `single` mode they are
 * part of `single.js`.
 */
import type { GraphPicture } from '../../graph/description/graph-picture.js';
import { pictureOf } from '../../graph/description/picture-of.js';
import type { ExecutorOptions } from '../../rhi/execute/executor.js';
import { NullExecutor, nullCapabilities } from '../../rhi/null/executor.js';
import { ThreadQueues } from '../../tasks/named-threads/thread-queues.js';
import { serveTasks } from '../../tasks/worker/serve-tasks.js';
import { importByAddress } from '../library-files/import-by-address.js';
import { createCaptureCalls } from './capture-calls.js';
import { createFenceCalls } from './fence-calls.js';
import { createModuleCalls } from './module-calls.js';
import type { ThreadSides, ToolCalls } from './thread-api.js';

export { checkGraph } from '../../graph/pass-checker.js';
export { executeAtOnce } from '../../rhi/host/bypass.js';
export { traceStream } from '../../rhi/record/trace.js';
export { validate } from '../../rhi/validation/validate.js';
export { nullCapabilities };

export const createNullExecutor = (options: ExecutorOptions): NullExecutor => new NullExecutor(options);

/** Creates the control calls that need these tools. Called once per connection. */
export function createToolCalls(thread: ThreadSides): ToolCalls {
  return {
    ...createCaptureCalls(thread),
    ...createFenceCalls(thread),
    ...createModuleCalls(thread),
    async describeGraph() {
      const graph = thread.render?.renderer.graph;
      return graph?.compiled ? pictureOf(graph.compiled, graph.setup.passes) : NOTHING_DRAWN;
    },
    /**
     * Runs tasks that are sent to the thread by its name (SYSTEMS T2). The thread never blocks, and frames
     * run between tasks.
     */
    async serveTasks({ name, port }) {
      const queues = new ThreadQueues();
      serveTasks(port, importByAddress, false, null, { name, queues, events: thread.events });
    },
  };
}

const NOTHING_DRAWN: GraphPicture = { passes: [], resources: [], unsharedBytes: 0, sharedBytes: 0 };
