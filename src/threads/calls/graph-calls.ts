/** Answers the call that describes the frame graph of the last frame. */
import type { GraphPicture } from '../../graph/picture/graph-picture.js';
import { pictureOf } from '../../graph/picture/picture-of.js';
import type { ThreadApi } from '../control/protocol.js';
import type { ThreadSides } from './thread-api.js';

const NOTHING_DRAWN: GraphPicture = { passes: [], resources: [], unsharedBytes: 0, sharedBytes: 0 };

export function createGraphCalls(thread: ThreadSides): Pick<ThreadApi, 'describeGraph'> {
  return {
    async describeGraph() {
      const compiled = thread.render?.renderer.graph.compiled;
      return compiled ? pictureOf(compiled) : NOTHING_DRAWN;
    },
  };
}
