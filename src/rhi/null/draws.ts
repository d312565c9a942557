/** Draws, which are counted. */
import type { Handler } from './parts.js';

const draw: Handler = (parts, { words, fields }) => {
  parts.drawCalls++;
  parts.instances += words[fields + 1];
};
const drawIndirect: Handler = (parts) => {
  parts.drawCalls++;
};

export const drawHandlers = {
  draw,
  drawIndexed: draw,
  drawIndirect,
  drawIndexedIndirect: drawIndirect,
} satisfies Record<string, Handler>;
