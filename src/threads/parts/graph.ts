/** The part for what users have of the frame graph, loaded with the first pass of a render module, or `engine.frameGraph()`. */
import type { GraphPicture } from '../../graph/graph-picture.js';
import { placeOnQueues } from '../../graph/graph-queues.js';
import { pictureOf } from '../../graph/picture-of.js';
import type { ThreadApi } from '../control/protocol.js';
import type { ThreadSides } from '../control/thread-api.js';
import { ModulePasses, type ModulePassesHost } from '../modules/module-passes.js';
import type { RenderSide } from '../render-worker/render-side.js';

export function createPasses(
  { renderer }: Pick<RenderSide, 'renderer'>,
  host: Omit<ModulePassesHost, 'graph' | 'rhi' | 'scene'>,
): ModulePasses {
  const { graph, rhi, scene, features } = renderer;
  const passes = new ModulePasses({ ...host, graph, rhi, scene });
  graph.queues = placeOnQueues;
  features.passes = passes;
  return passes;
}

const NOTHING_DRAWN: GraphPicture = { passes: [], resources: [], unsharedBytes: 0, sharedBytes: 0 };

export function createCalls(thread: ThreadSides): Pick<ThreadApi, 'describeGraph'> {
  return {
    async describeGraph() {
      const compiled = thread.render?.renderer.graph.compiled;
      return compiled ? pictureOf(compiled) : NOTHING_DRAWN;
    },
  };
}
