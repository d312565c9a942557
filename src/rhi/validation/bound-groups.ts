/** A bind group where it is set: its dynamic offsets, and that what it names is still there and declared. */
import { type BindGroupModel, nameOf } from './models.js';
import type { ValidationState } from './state.js';

/** Per draw. @param at index of the count */
export function offsetsFit(
  state: ValidationState,
  group: BindGroupModel,
  words: Uint32Array,
  at: number,
  available: number,
): boolean {
  const { dynamicLimits, dynamicAlignments } = group;
  const given = words[at];
  if (given !== dynamicLimits.length || given > available) {
    const needed = dynamicLimits.length;
    return state.report('dynamic-offset-count', { given, group: nameOf(group), needed });
  }
  for (let i = 0; i < given; i++) {
    const offset = words[at + 1 + i];
    const alignment = dynamicAlignments[i];
    if (offset % alignment !== 0) {
      return state.report('dynamic-offset-alignment', { group: nameOf(group), offset, alignment });
    }
    if (offset > dynamicLimits[i]) {
      return state.report('dynamic-offset-range', {
        group: nameOf(group),
        offset,
        limit: dynamicLimits[i],
      });
    }
  }
  return true;
}

/** All that the group names is alive; looked at again only after something was destroyed. */
export function isAlive(state: ValidationState, group: BindGroupModel): boolean {
  const { command, models } = state;
  for (const { buffer } of group.buffers) {
    if (buffer.isAlive) continue;
    const names = { group: nameOf(group), resource: nameOf(buffer) };
    return state.report('bind-group-outlived', { command, ...names });
  }
  for (const { view } of group.textures) {
    if (view.texture.isAlive) continue;
    const names = { group: nameOf(group), resource: nameOf(view.texture) };
    return state.report('bind-group-outlived', { command, ...names });
  }
  group.aliveAt = models.destroyCount;
  return true;
}

/** All that the group names was last declared for this use; looked at again only after a transition. */
export function isDeclared(state: ValidationState, group: BindGroupModel): boolean {
  const use = `what ${nameOf(group)} binds`;
  for (const { buffer, usage } of group.buffers) {
    if (buffer.declared !== 0 && !state.checkUsage(buffer, usage, use)) return false;
  }
  for (const { view, usage } of group.textures) {
    if (view.texture.declared !== 0 && !state.checkUsage(view.texture, usage, use)) return false;
  }
  group.declaredAt = state.models.transitionCount;
  return true;
}
