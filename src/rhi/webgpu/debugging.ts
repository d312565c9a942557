/** Debug groups and markers, scenes among them, and what helps to find a fault. */
import { stringAt } from '../commands/record-fields.js';
import type { Handler } from './parts.js';

/** Groups open in a pass: one pop too many would cost the whole submission. */
const openGroups = new WeakMap<GPUDebugCommandsMixin, number>();

const pushGroup: Handler = ({ pass, list }, { words, fields }) => {
  const { encoder, isOpen } = pass;
  const label = stringAt(words, fields);
  if (!isOpen) list.pushGroup(label);
  if (encoder === null) return;
  openGroups.set(encoder, (openGroups.get(encoder) ?? 0) + 1);
  encoder.pushDebugGroup(label);
};

const popGroup: Handler = ({ pass: { encoder, isOpen }, list }) => {
  if (!isOpen) list.popGroup();
  const count = encoder === null ? 0 : (openGroups.get(encoder) ?? 0);
  if (encoder === null || count === 0) return;
  openGroups.set(encoder, count - 1);
  encoder.popDebugGroup();
};

export const debuggingHandlers = {
  beginScene: pushGroup,
  endScene: popGroup,
  pushDebugGroup: pushGroup,
  popDebugGroup: popGroup,
  insertDebugMarker: ({ pass, list }, { words, fields }) =>
    (pass.isOpen ? pass.encoder : list.current)?.insertDebugMarker(stringAt(words, fields)),
  debugBreak: () => {
    // biome-ignore lint/suspicious/noDebugger: it is what this command is for
    debugger;
  },
  invalidateCachedState: ({ pass }) => {
    // As at the pass's begin: nothing counts as set.
    if (pass.render !== null) pass.beginRender(pass.render);
    else if (pass.isOpen) pass.beginCompute(pass.compute);
  },
} satisfies Record<string, Handler>;
