/**
 * Checks of commands whose rules the table can't express. Such commands destroy resources, promise that a resource is
 * not in use, read data that lives for one list, or order work. Each check is found by its command's name.
 *
 *   dynamic data (SYSTEMS L5): `writtenInList` has, per word of a page, the last list that wrote it, plus one
 *   list 7   commit bytes 0…256 ─► words 0…64 = 8     bind bytes 0…256: valid
 *   list 8                                            bind bytes 0…256: no word is 9, so the data has expired
 */

import { readLong } from '../../core/records/wide-words.js';
import { QueueHint } from '../commands/commands.js';
import { describeHandle, handleKind, ResourceKind } from '../commands/handles.js';
import type { RecordCheck } from './record-check.js';
import type { Checks } from './rules.js';
import { type Model, nameOf, usageNames, type ValidationState } from './state.js';

const KINDS: readonly number[] = Object.values(ResourceKind);

/** Returns whether the handle's kind is unknown, and reports it. The general check skips handles of any kind. */
function kindIsUnknown(state: ValidationState, handle: number): boolean {
  if (KINDS.includes(handleKind(handle))) return false;
  state.report('never-created', { resource: describeHandle(handle) });
  return true;
}

function referencesAreAlive(state: ValidationState, group: Model): boolean {
  for (const { model } of group.references) {
    if (model.isAlive) continue;
    return state.report('bind-group-outlived', { group: nameOf(group), resource: nameOf(model) });
  }
  group.aliveAt = state.models.destroyCount;
  return true;
}

function referencesAreDeclared(state: ValidationState, group: Model): boolean {
  for (const { model, usage } of group.references) if (!state.isDeclared(model, usage)) return false;
  group.declaredAt = state.models.transitionCount;
  return true;
}

/**
 * Checks the dynamic data of a bind group's buffers.
 * @param offsetsAt index of the number of dynamic offsets; the offsets follow this word
 */
function groupDataIsFresh(
  state: ValidationState,
  group: Model,
  words: Uint32Array,
  offsetsAt: number,
): boolean {
  const given = words[offsetsAt];
  let offsets = 0;
  for (const { model, byteOffset, byteLength, isDynamic } of group.references) {
    const isGiven = isDynamic && offsets < given;
    const first = byteOffset + (isGiven ? words[offsetsAt + 1 + offsets++] : 0);
    if (!dataIsFresh(state, model, first, byteLength)) return false;
  }
  return true;
}

/**
 * Checks that at least one word of the range was written in this list. A binding may be longer than its data, so
 * the other words don't matter. Called per draw.
 */
function dataIsFresh(state: ValidationState, buffer: Model, byteOffset: number, byteLength: number): boolean {
  const written = buffer.writtenInList;
  if (written === null || byteLength === 0) return true;
  const wanted = state.list + 1;
  const end = Math.min(written.length, (byteOffset + byteLength + 3) >>> 2);
  for (let word = byteOffset >>> 2; word < end; word++) if (written[word] === wanted) return true;
  const range = { first: byteOffset, end: byteOffset + byteLength };
  return state.report('dynamic-data-expired', { buffer: nameOf(buffer), frame: state.frame, ...range });
}

/** Checks `setVertexBuffer` and `setIndexBuffer`, whose last two words are an offset and a length in bytes. */
function setBuffer({ state, model, words, at }: RecordCheck): boolean {
  return model.writtenInList === null || dataIsFresh(state, model, words[at + 2], words[at + 3]);
}

/** Notes in `writtenInList` that the current list writes the words of `writeBuffer` or `writeBufferUnordered`. */
function writeBuffer({ state, model, words, at }: RecordCheck): boolean {
  const [byteOffset, byteLength] = [words[at + 1], words[at + 2]];
  model.writtenInList?.fill(state.list + 1, byteOffset >> 2, (byteOffset + byteLength) >> 2);
  return true;
}

/**
 * Checks that the current queue can execute the command. A queue can execute the commands of all queues after it
 * in `QueueHint` (SYSTEMS H6).
 */
export function queueIsFine({ state, rule }: RecordCheck): boolean {
  if (state.queue <= rule.queueHint) return true;
  const queue = state.queue === QueueHint.copy ? 'copy' : 'compute';
  return state.report('queue-command', { queue, needed: rule.queue });
}

export const useChecks: Checks = {
  destroyResource({ state, words, at }) {
    const { models } = state;
    const handle = words[at];
    if (kindIsUnknown(state, handle)) return false;
    const kind = handleKind(handle) as ResourceKind;
    const last = models.last(handle);
    if (last === undefined || last.handle !== handle) {
      // A viewport target that was never drawn to is unknown here, because its destroy is its first record. So the
      // destroy of a texture handle that is newer than the slot's last handle is valid.
      if (kind === ResourceKind.texture && handle > (last?.handle ?? 0)) return true;
      return state.reportMissing([kind], handle);
    }
    // A viewport's texture is not alive outside the viewport, but its handle can still be destroyed once.
    if (!last.isAlive && !last.isViewport) return state.report('double-free', { resource: nameOf(last) });
    last.isAlive = last.isViewport = false;
    models.destroyCount++;
    return !last.isFailed;
  },

  /**
   * Checks that no pending list uses the resource (SYSTEMS M3). If a pending list uses it, the command is dropped. The
   * destroy that follows then waits for the GPU as usual.
   */
  assumeNotInUse({ state, words, at }) {
    const handle = words[at];
    if (kindIsUnknown(state, handle)) return false;
    const model = state.models.find(handle);
    if (model === undefined) return state.reportMissing([handleKind(handle) as ResourceKind], handle);
    const completed = state.completedFrames?.() ?? state.list;
    if (model.usedInList < completed) return !model.isFailed;
    const names = { resource: nameOf(model), list: model.usedInList, completed };
    return state.report('false-not-in-use', names);
  },

  /**
   * Checks the group's resources: they are alive, transitions declared their use, and dynamic data was
   * written in this list.
   */
  setBindGroup({ state, model, words, at }) {
    const { destroyCount, transitionCount } = state.models;
    if (model.aliveAt !== destroyCount && !referencesAreAlive(state, model)) return false;
    if (model.declaredAt !== transitionCount && !referencesAreDeclared(state, model)) return false;
    const { references } = model;
    for (let i = 0; i < references.length; i++) references[i].model.usedInList = state.list;
    return !model.hasDynamicData || groupDataIsFresh(state, model, words, at + 2);
  },

  signalFence({ state, model, words, at }) {
    const value = readLong(words, at + 1);
    if (value > model.value) {
      model.value = value;
      return true;
    }
    const names = { fence: nameOf(model), value: String(value) };
    if (value === model.value) return state.report('fence-signalled-twice', names);
    return state.report('fence-value-back', { ...names, last: String(model.value) });
  },

  /** A wait for a value that no command signals is valid, because another thread may signal it. */
  waitFence({ state }) {
    if (!state.isViewportAcquired) return true;
    const target = state.viewport === null ? 'the drawing viewport' : nameOf(state.viewport);
    return state.report('wait-after-viewport', { frame: state.frame, target });
  },

  setQueue({ state, words, at }) {
    state.queue = words[at];
    return true;
  },

  transition({ state, model, words, at }) {
    const [before, after] = [words[at + 1], words[at + 2]];
    const resource = nameOf(model);
    const names = { before: usageNames(model, before), after: usageNames(model, after) };
    if (((before | after) & ~model.usage) !== 0)
      return state.report('transition-usage', { resource, ...names });
    if (model.declared !== 0 && before !== model.declared) {
      const declared = usageNames(model, model.declared);
      return state.report('transition-before', { resource, before: names.before, declared });
    }
    model.declared = after;
    state.models.transitionCount++;
    return true;
  },

  setVertexBuffer: setBuffer,
  setIndexBuffer: setBuffer,
  writeBuffer,
  writeBufferUnordered: writeBuffer,
};
