import { RhiOpcode } from '../commands/commands.js';

type Names = keyof typeof RhiOpcode;

/** Handlers by opcode. */
// @__NO_SIDE_EFFECTS__
export function handlerTable<Handler>(
  byName: { readonly [Name in Names]?: Handler },
): readonly (Handler | undefined)[] {
  const handlers: (Handler | undefined)[] = [];
  for (const name of Object.keys(byName) as Names[]) handlers[RhiOpcode[name]] = byName[name];
  return handlers;
}
