/** Fences, whose values only rise, and transitions, which declare what the uses after them must be. */

import { readDouble } from '../../core/double-words.js';
import { handleKind, ResourceKind } from '../commands/handles.js';

import { nameOf } from './models.js';
import { outsidePass } from './pass-state.js';
import { type Check, PassKind, usageNames } from './state.js';

export function signalFence({ state, words, at }: Check): boolean {
  const model = state.find(state.models.fences, words[at]);
  if (!outsidePass(state) || model === null) return false;
  const value = readDouble(words, at + 1);
  const fence = nameOf(model);
  if (value === model.value) return state.report('fence-signalled-twice', { fence, value });
  if (value < model.value) return state.report('fence-value-back', { fence, value, last: model.value });
  model.value = value;
  return true;
}

/** For a value that nobody signals it may wait: another thread may. */
export function waitFence({ state, words, at }: Check): boolean {
  const model = state.find(state.models.fences, words[at]);
  if (!outsidePass(state) || model === null) return false;
  if (!state.isViewportAcquired) return true;
  const target = state.viewport === null ? 'the drawing viewport' : nameOf(state.viewport);
  return state.report('wait-after-viewport', { frame: state.frame, target });
}

export function transition({ state, words, at }: Check): boolean {
  const { models, pass, command, passName } = state;
  if (pass.kind === PassKind.render) return state.report('command-inside-pass', { command, pass: passName });
  const isTexture = handleKind(words[at]) === ResourceKind.texture;
  const model = isTexture ? state.find(models.textures, words[at]) : state.find(models.buffers, words[at]);
  if (model === null) return false;
  const [before, after] = [words[at + 1], words[at + 2]];
  const names = { before: usageNames(model, before), after: usageNames(model, after) };
  if (((before | after) & ~model.usage) !== 0) {
    return state.report('transition-usage', { resource: nameOf(model), ...names });
  }
  if (model.declared !== 0 && before !== model.declared) {
    const declared = usageNames(model, model.declared);
    return state.report('transition-before', { resource: nameOf(model), before: names.before, declared });
  }
  model.declared = after;
  models.transitionCount++;
  return true;
}
