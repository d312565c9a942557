/**
 * Fences, whose values only rise; queues, of which each can do what the ones after it can (SYSTEMS H6); and transitions,
 * which declare what the uses after them must be.
 */
import { readLong } from '../../core/long-words.js';
import { QueueHint } from '../commands/commands.js';
import { nameOf, usageNames } from './models.js';
import type { RecordCheck } from './record-check.js';

function signalFence({ state, model, words, at }: RecordCheck): boolean {
  const value = readLong(words, at + 1);
  const fence = nameOf(model);
  if (value === model.value) return state.report('fence-signalled-twice', { fence, value: String(value) });
  if (value < model.value)
    return state.report('fence-value-back', { fence, value: String(value), last: String(model.value) });
  model.value = value;
  return true;
}

/** For a value that nobody signals it may wait: another thread may. */
function waitFence({ state }: RecordCheck): boolean {
  if (!state.isViewportAcquired) return true;
  const target = state.viewport === null ? 'the drawing viewport' : nameOf(state.viewport);
  return state.report('wait-after-viewport', { frame: state.frame, target });
}

function setQueue({ state, words, at }: RecordCheck): boolean {
  state.queue = words[at];
  return true;
}

/** The queue set last can do the command. */
export function queueIsFine({ state, rule }: RecordCheck): boolean {
  if (state.queue <= rule.queueHint) return true;
  const queue = state.queue === QueueHint.copy ? 'copy' : 'compute';
  return state.report('queue-command', { command: state.command, queue, needed: rule.queue });
}

function transition({ state, model, words, at }: RecordCheck): boolean {
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
  state.models.transitionCount++;
  return true;
}

export const orderChecks: Readonly<Record<string, (check: RecordCheck) => boolean>> = {
  signalFence,
  waitFence,
  setQueue,
  transition,
};
