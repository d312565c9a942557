/**
 * What carries out the commands that have an effect without a GPU. All others, and those of a table that has grown, are
 * checked by their rows and counted.
 */
import { RhiOpcode } from '../commands/commands.js';
import { bundleHandlers } from './bundles.js';
import { clearHandlers } from './clears.js';
import { copyHandlers } from './copies.js';
import { createHandlers } from './creates.js';
import { drawHandlers } from './draws.js';
import { fenceHandlers } from './fences.js';
import { frameHandlers } from './frames.js';
import type { Handler } from './parts.js';
import { renamingHandlers } from './renaming.js';
import { transferHandlers } from './transfers.js';

const handlersByName: { readonly [Name in keyof typeof RhiOpcode]?: Handler } = {
  ...frameHandlers,
  ...createHandlers,
  ...transferHandlers,
  ...copyHandlers,
  ...clearHandlers,
  ...renamingHandlers,
  ...drawHandlers,
  ...bundleHandlers,
  ...fenceHandlers,
};

/** By opcode. */
export const handlers: readonly (Handler | undefined)[] = Array.from({ length: 256 }, (_, opcode) => {
  const name = Object.keys(RhiOpcode).find((each) => RhiOpcode[each as keyof typeof RhiOpcode] === opcode);
  return name === undefined ? undefined : handlersByName[name as keyof typeof RhiOpcode];
});
