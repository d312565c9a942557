/**
 * Draw bundles: their records when they are created, and what the draws in them need where they are executed, as if the
 * records stood there. A bundle with anything wrong in it is left out whole.
 */
import { HEADER_LENGTH_SHIFT } from '../../core/record-table.js';
import { RhiOpcode } from '../commands/commands.js';
import { bundleAt, bundleFault, countDraws } from '../record/draw-bundle.js';
import type { DrawState } from './draws.js';
import { type DrawBundleModel, nameOf } from './models.js';
import { createModel } from './resources.js';
import { type Check, PassKind } from './state.js';

export function createDrawBundle(check: Check): boolean {
  const { state, reader, words, at } = check;
  const { label, commands } = bundleAt(words, at, reader.fieldWords);
  const model = createModel(check, state.models.drawBundles, label);
  if (model === null) return false;
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
  model.isFailed = false;
  return true;
}

/** @param onSkipped called for each draw when the bundle is left out */
export function executeDrawBundle(
  { state, draws, words, at }: Check,
  onSkipped: (() => void) | undefined,
): boolean {
  if (!draws.isIn(PassKind.render)) {
    const model = state.models.drawBundles.find(words[at]);
    return skip(model ?? null);
  }
  const bundle = state.find(state.models.drawBundles, words[at]);
  const { opcode, skippedDraws } = state;
  let isFine = bundle !== null;
  draws.reset();
  if (bundle !== null) {
    state.place = ` in the ${nameOf(bundle)}`;
    try {
      isFine = recordsAreFine(bundle, draws, (inner) => {
        state.opcode = inner;
      });
    } finally {
      state.place = '';
      state.opcode = opcode;
    }
  }
  draws.reset();
  state.skippedDraws = skippedDraws;
  return isFine || skip(bundle);

  function skip(skipped: DrawBundleModel | null): false {
    for (let count = skipped?.draws ?? 0; count > 0; count--) {
      state.skippedDraws++;
      onSkipped?.();
    }
    return false;
  }
}

/** Every record is looked at, so that all faults are reported at once. */
function recordsAreFine(
  { commands }: DrawBundleModel,
  draws: DrawState,
  onRecord: (opcode: number) => void,
): boolean {
  let areFine = true;
  for (let at = 0; at < commands.length; ) {
    const header = commands[at];
    const fieldWords = (header >>> HEADER_LENGTH_SHIFT) - 1;
    onRecord(header & 0xff);
    if (!recordIsFine(draws, header & 0xff, commands, at + 1, fieldWords)) areFine = false;
    at += 1 + fieldWords;
  }
  return areFine;
}

function recordIsFine(
  draws: DrawState,
  opcode: number,
  words: Uint32Array,
  at: number,
  fieldWords: number,
): boolean {
  switch (opcode) {
    case RhiOpcode.setBindGroup:
      return draws.setBindGroup(words, at, fieldWords);
    case RhiOpcode.drawIndexed:
      return draws.drawIndexed(words, at);
    case RhiOpcode.setVertexBuffer:
      return draws.setVertexBuffer(words, at);
    case RhiOpcode.setIndexBuffer:
      return draws.setIndexBuffer(words, at);
    case RhiOpcode.draw:
      return draws.draw(words, at);
    case RhiOpcode.setGraphicsPipeline:
      return draws.setGraphicsPipeline(words[at]);
    case RhiOpcode.drawIndirect:
      return draws.drawIndirect(words, at, false);
    case RhiOpcode.drawIndexedIndirect:
      return draws.drawIndirect(words, at, true);
    default:
      // Debug groups and markers, which were found balanced.
      return true;
  }
}
