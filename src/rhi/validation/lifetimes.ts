/** Destroys, and the promise that nothing pending uses what is destroyed (SYSTEMS L3, M3). */
import { describeHandle, handleIndex, handleKind, ResourceKind } from '../commands/handles.js';
import { type Model, nameOf, type TextureModel } from './models.js';
import type { Check } from './state.js';

export function destroyResource({ state, words, at }: Check): boolean {
  const { models, command } = state;
  const handle = words[at];
  const table = models.tables[handleKind(handle)];
  const last = table?.slots[handleIndex(handle)];
  if (table === undefined) {
    return state.report('never-created', { command, resource: describeHandle(handle) });
  }
  if (last === undefined || last.handle !== handle) {
    // A viewport target that was never drawn into: its handle has no record but this one.
    if (table.kind === ResourceKind.texture && isNewer(handle, last)) return true;
    return state.reportMissing(table, handle);
  }
  const isIdleViewport = (last as Partial<TextureModel>).isViewport === true;
  if (!last.isAlive && !isIdleViewport) return state.report('double-free', { resource: nameOf(last) });
  last.isAlive = false;
  if (isIdleViewport) (last as TextureModel).isViewport = false;
  models.destroyCount++;
  return !last.isFailed;
}

const isNewer = (handle: number, last: Model | undefined): boolean =>
  last === undefined || handle > last.handle;

/** M3. A refused promise is left out, so that the destroy behind it is an ordinary one. */
export function assumeNotInUse({ state, words, at }: Check): boolean {
  const { models, command } = state;
  const handle = words[at];
  const table = models.tables[handleKind(handle)];
  const model = table?.find(handle);
  if (table === undefined)
    return state.report('never-created', { command, resource: describeHandle(handle) });
  if (model === undefined) return state.reportMissing(table, handle);
  const completed = state.completedLists?.() ?? state.list;
  if (model.usedInList < completed) return !model.isFailed;
  const names = { resource: nameOf(model), list: model.usedInList, completed };
  return state.report('false-not-in-use', names);
}
