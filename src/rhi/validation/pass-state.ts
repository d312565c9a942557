/**
 * What is open: frame, scene, viewport, pass, debug groups, occlusion query. What a list forgot to end is ended
 * by a record put before the one that finds out, so that the executor always sees a well-formed list.
 *
 *   beginRenderPass · pushDebugGroup · endFrame
 *                                    ↑ popDebugGroup, endRenderPass are inserted here, both reported
 */
import { QueueHint, RhiOpcode } from '../commands/commands.js';
import type {
  ComputePassDescriptor,
  RenderPassDescriptor,
  TimestampWrites,
} from '../commands/descriptors.js';
import { BufferUsage, TextureUsage } from '../commands/descriptors.js';
import { handleIndex } from '../commands/handles.js';
import { jsonAt, stringAt } from '../commands/record-fields.js';
import { checkAttachments } from './attachments.js';
import { formatInfo } from './formats.js';
import { nameOf, type QuerySetModel } from './models.js';
import { type Check, PassKind, type ValidationState } from './state.js';

export function beginFrame({ state, words, at }: Check): boolean {
  const frame = words[at];
  if (state.isInFrame) return state.report('frame-not-ended', { frame, open: state.frame });
  if (frame <= state.frame) state.report('frame-number', { frame, last: state.frame });
  state.frame = frame;
  state.isInFrame = true;
  state.hadViewport = state.isViewportAcquired = false;
  state.skippedDraws = 0;
  return true;
}

export function endFrame({ state }: Check): boolean {
  const { command } = state;
  if (!state.isInFrame) return state.report('frame-not-begun', { command });
  endForgottenPass(state);
  if (state.viewport !== null) {
    state.report('viewport-not-ended', { target: nameOf(state.viewport), command });
    closeViewport(state);
  }
  if (state.scene !== null) {
    state.report('scene-not-ended', { scene: state.scene, command });
    state.scene = null;
  }
  popForgottenGroups(state, state.groups, `frame ${state.frame}`);
  state.isInFrame = false;
  state.list++;
  return true;
}

export function beginScene({ state, words, at }: Check): boolean {
  const { command, scene } = state;
  if (scene !== null) state.report('scene-not-ended', { scene, command });
  state.scene = stringAt(words, at);
  return true;
}

export function endScene({ state }: Check): boolean {
  if (state.scene === null) return state.report('scene-not-begun', {});
  state.scene = null;
  return true;
}

export function beginDrawingViewport({ state, words, at }: Check): boolean {
  const { command, models } = state;
  const handle = words[at];
  if (!state.isInFrame) return state.report('frame-not-begun', { command });
  if (!outsidePass(state)) return false;
  if (state.viewport !== null) {
    return state.report('viewport-not-ended', { target: nameOf(state.viewport), command });
  }
  const [width, height] = [words[at + 1], words[at + 2]];
  const limit = state.limit('maxTextureDimension2D');
  if (width < 1 || height < 1 || width > limit || height > limit) {
    return state.report('viewport-size', { width, height, limit });
  }
  const previous = models.textures.slots[handleIndex(handle)];
  const texture = previous?.handle === handle ? previous : models.textures.add(handle, 'viewport');
  Object.assign(texture, { width, height, isViewport: true, isAlive: true, isFailed: false });
  texture.format = state.surfaceFormat;
  texture.info = formatInfo(texture.format);
  texture.usage = TextureUsage.renderAttachment | TextureUsage.copySource;
  state.viewport = texture;
  state.hadViewport = true;
  return true;
}

export function endDrawingViewport({ state }: Check): boolean {
  const { command } = state;
  if (state.viewport === null) return state.report('viewport-not-begun', { command });
  endForgottenPass(state);
  closeViewport(state);
  return true;
}

/** It is answered by the executor, so it always goes on. */
export function outputVideoFrame({ state }: Check): boolean {
  if (!state.hadViewport) state.report('video-frame-without-viewport', {});
  return true;
}

function closeViewport(state: ValidationState): void {
  if (state.viewport === null) return;
  // Its bind groups and passes are looked through anew.
  state.viewport.isAlive = false;
  state.models.destroyCount++;
  state.viewport = null;
}

export function beginRenderPass({ state, draws, words, at }: Check): boolean {
  open(state, PassKind.render);
  const descriptor = jsonAt<RenderPassDescriptor>(words, at);
  const { pass } = state;
  pass.label = descriptor.label;
  draws.scope.begin();
  draws.reset();
  if (!queueCan(state, 'graphics') || !checkAttachments(state, draws.scope, descriptor)) return false;
  const { occlusionQuerySet } = descriptor;
  if (occlusionQuerySet !== undefined) {
    pass.querySet = state.find(state.models.querySets, occlusionQuerySet);
    if (pass.querySet === null || !isOfType(state, pass.querySet, 'occlusion')) return false;
  }
  pass.isDropped = !timestampsAreFine(state, descriptor.timestampWrites);
  return !pass.isDropped;
}

export function beginComputePass({ state, draws, words, at }: Check): boolean {
  open(state, PassKind.compute);
  const descriptor = jsonAt<ComputePassDescriptor>(words, at);
  state.pass.label = descriptor.label;
  draws.reset();
  if (!queueCan(state, 'compute')) return false;
  state.pass.isDropped = !timestampsAreFine(state, descriptor.timestampWrites);
  return !state.pass.isDropped;
}

export function endPass({ state, reader }: Check): boolean {
  const { pass, command } = state;
  const kind = reader.opcode === RhiOpcode.endRenderPass ? PassKind.render : PassKind.compute;
  if (pass.kind !== kind) return state.report('pass-not-begun', { command });
  const wasDropped = pass.isDropped;
  endQueryAndGroups(state);
  pass.kind = PassKind.none;
  return !wasDropped;
}

/** The pass counts as dropped until the last check has passed, so that a record that can't be read drops it too. */
function open(state: ValidationState, kind: number): void {
  endForgottenPass(state);
  const { pass } = state;
  pass.kind = kind;
  pass.label = '';
  pass.samples = 1;
  pass.isDropped = true;
  pass.isDepthReadOnly = pass.isStencilReadOnly = false;
  pass.querySet = null;
  pass.query = -1;
  pass.usedQueries.clear();
  pass.groups.length = 0;
}

function endForgottenPass(state: ValidationState): void {
  const { pass } = state;
  if (pass.kind === PassKind.none) return;
  state.report('pass-not-ended', { pass: state.passName, command: state.command });
  const { isDropped, kind } = pass;
  endQueryAndGroups(state);
  pass.kind = PassKind.none;
  if (isDropped) return;
  state.inserted.push(kind === PassKind.render ? RhiOpcode.endRenderPass : RhiOpcode.endComputePass);
}

function endQueryAndGroups(state: ValidationState): void {
  const { pass } = state;
  // What a dropped pass left open was dropped too.
  if (pass.isDropped) return;
  if (pass.query >= 0) {
    const { command, passName } = state;
    state.report('query-not-ended', { index: pass.query, command, pass: passName });
    state.inserted.push(RhiOpcode.endOcclusionQuery);
    pass.query = -1;
  }
  popForgottenGroups(state, pass.groups, `the ${state.passName}`);
}

function popForgottenGroups(state: ValidationState, groups: string[], place: string): void {
  for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
    state.report('debug-group-not-ended', { group, place });
    state.inserted.push(RhiOpcode.popDebugGroup);
  }
}

export function pushDebugGroup({ state, words, at }: Check): boolean {
  if (state.pass.isDropped && state.pass.kind !== PassKind.none) return false;
  (state.pass.kind === PassKind.none ? state.groups : state.pass.groups).push(stringAt(words, at));
  return true;
}

export function popDebugGroup({ state }: Check): boolean {
  const { pass } = state;
  const isInPass = pass.kind !== PassKind.none;
  if (isInPass && pass.isDropped) return false;
  const groups = isInPass ? pass.groups : state.groups;
  if (groups.pop() !== undefined) return true;
  return state.report('debug-group-not-begun', { place: isInPass ? `the ${state.passName}` : 'the list' });
}

/** False inside a pass, which is reported unless the pass itself was dropped. */
export function outsidePass(state: ValidationState): boolean {
  if (state.pass.kind === PassKind.none) return true;
  return state.report('command-inside-pass', { command: state.command, pass: state.passName });
}

// Queries

export function beginOcclusionQuery({ state, words, at }: Check): boolean {
  const { pass, command, passName } = state;
  const index = words[at];
  if (pass.querySet === null) return state.report('query-without-set', { pass: passName });
  if (pass.query >= 0) return state.report('query-not-ended', { index: pass.query, command, pass: passName });
  if (!queriesExist(state, pass.querySet, index, 1)) return false;
  if (pass.usedQueries.has(index)) return state.report('query-repeated', { index, pass: passName });
  pass.usedQueries.add(index);
  pass.query = index;
  return true;
}

export function endOcclusionQuery({ state }: Check): boolean {
  const { pass } = state;
  if (pass.query < 0) return state.report('query-not-begun', { pass: state.passName });
  pass.query = -1;
  return true;
}

export function resolveQuerySet({ state, words, at }: Check): boolean {
  const { models } = state;
  const set = state.find(models.querySets, words[at]);
  const target = state.find(models.buffers, words[at + 3]);
  if (!outsidePass(state) || set === null || target === null) return false;
  const [count, byteOffset] = [words[at + 2], words[at + 4]];
  return (
    queriesExist(state, set, words[at + 1], count) &&
    state.checkUsage(target, BufferUsage.queryResolve, 'the target of query results') &&
    state.checkAlignment(target, 'target offset', byteOffset, 256) &&
    state.checkRange(target, byteOffset, byteOffset + count * 8)
  );
}

function timestampsAreFine(state: ValidationState, writes: TimestampWrites | undefined): boolean {
  if (writes === undefined) return true;
  const set = state.find(state.models.querySets, writes.querySet);
  if (set === null || !isOfType(state, set, 'timestamp')) return false;
  const { beginningOfPassWriteIndex: first, endOfPassWriteIndex: last } = writes;
  if (first === last) {
    const reason = first === undefined ? 'neither index is given' : `both indices are ${first}`;
    return state.report('timestamp-indices', { pass: state.passName, set: nameOf(set), reason });
  }
  return (
    (first === undefined || queriesExist(state, set, first, 1)) &&
    (last === undefined || queriesExist(state, set, last, 1))
  );
}

function queriesExist(state: ValidationState, set: QuerySetModel, first: number, count: number): boolean {
  if (first + count <= set.count) return true;
  const { command } = state;
  const last = first + count - 1;
  return state.report('query-range', { command, first, last, set: nameOf(set), count: set.count });
}

function isOfType(state: ValidationState, set: QuerySetModel, needed: GPUQueryType): boolean {
  if (set.type === needed) return true;
  return state.report('query-set-type', {
    command: state.command,
    needed,
    set: nameOf(set),
    given: set.type,
  });
}

// Queues (H6): graphics does all, compute no draws, copy only copies.

export function setQueue({ state, words, at }: Check): boolean {
  const queue = words[at];
  if (!outsidePass(state)) return false;
  if (queue > QueueHint.copy) return state.report('queue-unknown', { queue });
  state.queue = queue;
  return true;
}

/** The queue declared last can do what this queue can. */
export function queueCan(state: ValidationState, needed: keyof typeof QueueHint): boolean {
  if (state.queue <= QueueHint[needed]) return true;
  const queue = state.queue === QueueHint.copy ? 'copy' : 'compute';
  return state.report('queue-command', { command: state.command, queue, needed });
}
