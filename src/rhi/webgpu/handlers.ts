/** What carries out each command. A command without its line here does not compile. */
import { RhiOpcode } from '../commands/commands.js';
import { bundleHandlers } from './bundles.js';
import { computeHandlers } from './compute.js';
import { copyHandlers } from './copies.js';
import { createHandlers } from './creates.js';
import { debuggingHandlers } from './debugging.js';
import { drawHandlers } from './draws.js';
import { frameHandlers } from './frames.js';
import type { Handler } from './parts.js';
import { passHandlers } from './passes.js';
import { queryHandlers } from './queries.js';
import { seldomHandlers } from './seldom-handlers.js';
import { transferHandlers } from './transfers.js';

export type HandlersByName = { readonly [Name in keyof typeof RhiOpcode]: Handler };

const handlersByName: HandlersByName = {
  ...frameHandlers,
  ...createHandlers,
  ...transferHandlers,
  ...copyHandlers,
  ...seldomHandlers,
  ...passHandlers,
  ...drawHandlers,
  ...bundleHandlers,
  ...computeHandlers,
  ...queryHandlers,
  ...debuggingHandlers,
};

/**
 * By opcode.
 * @param replaced carry out their commands in the place of those above
 */
export function handlerTable(replaced: Partial<HandlersByName> = {}): readonly (Handler | undefined)[] {
  const handlers: (Handler | undefined)[] = [];
  for (const [name, handler] of Object.entries({ ...handlersByName, ...replaced })) {
    handlers[RhiOpcode[name as keyof typeof RhiOpcode]] = handler;
  }
  return handlers;
}

export const handlers = /* @__PURE__ */ handlerTable();
