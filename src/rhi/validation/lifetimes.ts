/** Destroys, and the promise that nothing pending uses what is destroyed (SYSTEMS L3, M3). */
import { describeHandle, handleKind, ResourceKind } from '../commands/handles.js';
import { nameOf } from './models.js';
import type { RecordCheck } from './record-check.js';

const KINDS = Object.values(ResourceKind);

function destroyResource({ state, words, at }: RecordCheck): boolean {
  const { models, command } = state;
  const handle = words[at];
  const kind = handleKind(handle) as ResourceKind;
  if (!KINDS.includes(kind))
    return state.report('never-created', { command, resource: describeHandle(handle) });
  const last = models.last(handle);
  if (last === undefined || last.handle !== handle) {
    // A viewport target that was never drawn into: its handle has no record but this one.
    if (kind === ResourceKind.texture && handle > (last?.handle ?? 0)) return true;
    return state.reportMissing([kind], handle);
  }
  // The handle of a viewport lives on when the viewport ends.
  if (!last.isAlive && !last.isViewport) return state.report('double-free', { resource: nameOf(last) });
  last.isAlive = last.isViewport = false;
  models.destroyCount++;
  return !last.isFailed;
}

/** M3. A refused promise is left out, so that the destroy behind it is an ordinary one. */
function assumeNotInUse({ state, words, at }: RecordCheck): boolean {
  const { models, command } = state;
  const handle = words[at];
  const kind = handleKind(handle) as ResourceKind;
  const model = models.find(handle);
  if (!KINDS.includes(kind))
    return state.report('never-created', { command, resource: describeHandle(handle) });
  if (model === undefined) return state.reportMissing([kind], handle);
  const completed = state.completedLists?.() ?? state.list;
  if (model.usedInList < completed) return !model.isFailed;
  const names = { resource: nameOf(model), list: model.usedInList, completed };
  return state.report('false-not-in-use', names);
}

export const lifetimeChecks: Readonly<Record<string, (check: RecordCheck) => boolean>> = {
  destroyResource,
  assumeNotInUse,
};
