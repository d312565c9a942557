/** Commands whose code may have to be loaded first: the first of them holds its list until that is there. */
import type { Handler } from './parts.js';

export const seldomHandlers = {
  createFence: (parts, record) => parts.useSeldom()?.fences.create(record),
  signalFence: (parts, record) => parts.useSeldom()?.fences.signal(record),
  waitFence: (parts, record) => parts.useSeldom()?.fences.wait(record),
  clearTexture: (parts, record) => parts.useSeldom()?.clears.clear(record),
  renameBuffer: (parts, { words, fields }) => parts.useSeldom()?.renaming.rename(words[fields]),
  outputVideoFrame: (parts, { words, fields }) => parts.useSeldom()?.videoFrames.request(words, fields),
} satisfies Record<string, Handler>;
