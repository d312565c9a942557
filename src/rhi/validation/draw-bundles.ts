/**
 * Draw bundles: their records when they are created, and what the draws in them need where they are executed, as if the
 * records stood there. A bundle with anything wrong in it is left out whole.
 */
import { HEADER_LENGTH_SHIFT } from '../../core/record-table.js';
import { bundleAt, bundleFault, countDraws } from '../record/draw-bundle.js';
import { type Model, nameOf } from './models.js';
import type { RecordCheck } from './record-check.js';

export function createDrawBundle({ state, model, words, at, fieldWords }: RecordCheck): boolean {
  const { commands } = bundleAt(words, at, fieldWords);
  const fault = bundleFault(commands);
  if (fault !== null) {
    const { code, command } = fault;
    const resource = nameOf(model);
    if (code !== 'bad-record') return state.report(code, { resource, command });
    const reason = `${resource} holds words that are no records.`;
    return state.report(code, { command: state.command, reason });
  }
  model.commands = commands.slice();
  model.draws = countDraws(commands);
  return true;
}

/**
 * Every record is looked at, so that all faults are reported at once.
 * @param check looks at a record: its words, and the index of its header
 */
export function bundleIsFine(
  { state, draws }: RecordCheck,
  bundle: Model,
  check: (words: Uint32Array, at: number) => boolean,
): boolean {
  const { commands } = bundle;
  if (commands === null) return true;
  const { rule } = state;
  let isFine = true;
  draws.reset();
  state.where = ` in the ${nameOf(bundle)}`;
  try {
    for (let at = 0; at < commands.length; at += commands[at] >>> HEADER_LENGTH_SHIFT)
      if (!check(commands, at)) isFine = false;
  } finally {
    state.where = '';
    state.rule = rule;
    draws.reset();
  }
  return isFine;
}
