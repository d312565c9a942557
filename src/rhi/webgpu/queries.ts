/** Queries, and their results into a buffer. */
import type { Handler } from './parts.js';

export const queryHandlers = {
  beginOcclusionQuery: ({ pass }, { words, fields }) => pass.render?.beginOcclusionQuery(words[fields]),
  endOcclusionQuery: ({ pass }) => pass.render?.endOcclusionQuery(),
  resolveQuerySet: (parts, { words, fields: at }) => {
    parts.outsidePass();
    const { resources, list } = parts;
    const querySet = resources.querySets.get(words[at]).gpu;
    const target = resources.buffers.get(words[at + 3]).gpu;
    if (!querySet || !target) return;
    list.current.resolveQuerySet(querySet, words[at + 1], words[at + 2], target, words[at + 4]);
  },
} satisfies Record<string, Handler>;
