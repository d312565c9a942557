/**
 * Tracks the open scopes: frame, scene, viewport, pass and debug groups. If the list leaves a pass or a debug
 * group open, its end is inserted, so that the executor always receives a well-formed list.
 *
 *   beginRenderPass · pushDebugGroup · endFrame
 *                                    ↑ popDebugGroup, endRenderPass are inserted here, both reported
 */

import { stringAt } from '../../core/records/record-fields.js';
import { Scope } from '../commands/command-rows.js';
import { RhiOpcode } from '../commands/commands.js';
import { type ComputePassDescriptor, TextureUsage } from '../commands/descriptors.js';
import type { RecordCheck } from './record-check.js';
import type { Checks } from './rules.js';
import { nameOf, type ValidationState } from './state.js';

/** Returns whether the table allows the command in the open scope. Reports the command if not. */
export function scopeIsFine({ state, rule }: RecordCheck): boolean {
  const { pass } = state;
  if ((rule.scopes & pass.scope) !== 0) return true;
  const needed = (rule.scopes & Scope.computePass) !== 0 ? 'compute' : 'render';
  if (pass.scope === Scope.outside) return state.report('command-outside-pass', { needed });
  if ((rule.scopes & (Scope.renderPass | Scope.computePass)) === 0)
    return state.report('command-inside-pass', {});
  // Pass commands in a dropped pass are dropped without a report.
  return pass.isDropped ? false : state.report('command-in-wrong-pass', { needed });
}

/**
 * Ends the viewport. Raises `destroyCount`, so that bind groups with the viewport's texture are checked again.
 */
function closeViewport(state: ValidationState): void {
  if (state.viewport === null) return;
  state.viewport.isAlive = false;
  state.models.destroyCount++;
  state.viewport = null;
}

/**
 * Begins a pass. The pass counts as dropped until its record has passed the last check, so that an unreadable record
 * also drops the pass.
 */
function beginPass(check: RecordCheck): boolean {
  const { state, draws, rule } = check;
  endForgottenPass(state);
  const { pass } = state;
  pass.scope = rule.name === 'beginComputePass' ? Scope.computePass : Scope.renderPass;
  pass.label = '';
  pass.isDropped = true;
  pass.groups.length = 0;
  draws.reset();
  pass.label = (check.descriptor as ComputePassDescriptor).label;
  return true;
}

function endPass(check: RecordCheck): boolean {
  const { state, rule } = check;
  const { pass } = state;
  if ((rule.scopes & pass.scope) === 0) return scopeIsFine(check);
  const wasDropped = pass.isDropped;
  if (!wasDropped) popForgottenGroups(state, pass.groups, `the ${state.passName}`);
  pass.scope = Scope.outside;
  return !wasDropped;
}

function endForgottenPass(state: ValidationState): void {
  const { pass } = state;
  if (pass.scope === Scope.outside) return;
  state.report('pass-not-ended', {});
  // The executor never received the beginning of a dropped pass, so the pass needs no end.
  if (!pass.isDropped) {
    popForgottenGroups(state, pass.groups, `the ${state.passName}`);
    const { endRenderPass, endComputePass } = RhiOpcode;
    state.inserted.push(pass.scope === Scope.renderPass ? endRenderPass : endComputePass);
  }
  pass.scope = Scope.outside;
}

function popForgottenGroups(state: ValidationState, groups: string[], place: string): void {
  for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
    state.report('debug-group-not-ended', { group, place });
    state.inserted.push(RhiOpcode.popDebugGroup);
  }
}

const groupsOf = ({ pass, groups }: ValidationState): string[] =>
  pass.scope === Scope.outside ? groups : pass.groups;

/**
 * Checks of commands that begin and end scopes. For these commands, they replace the general check `scopeIsFine`,
 * because some of the commands first end a scope that the list has left open.
 */
export const scopeChecks: Checks = {
  beginFrame({ state, words, at }) {
    const frame = words[at];
    if (state.isInFrame) return state.report('frame-not-ended', { frame, open: state.frame });
    // The engine records several lists of one frame. Contexts with checks refuse an equal number in their `beginFrame`.
    if (frame < state.frame) state.report('frame-number', { frame, last: state.frame });
    state.frame = frame;
    state.isInFrame = true;
    state.hadViewport = state.isViewportAcquired = false;
    state.skippedDraws = 0;
    return true;
  },

  endFrame({ state }) {
    if (!state.isInFrame) return state.report('frame-not-begun', {});
    endForgottenPass(state);
    if (state.viewport !== null) {
      state.report('viewport-not-ended', { target: nameOf(state.viewport) });
      closeViewport(state);
    }
    if (state.scene !== null) {
      state.report('scene-not-ended', { scene: state.scene });
      state.scene = null;
    }
    popForgottenGroups(state, state.groups, `frame ${state.frame}`);
    state.isInFrame = false;
    state.list++;
    return true;
  },

  beginDrawingViewport(check) {
    const { state, words, at } = check;
    const handle = words[at];
    if (!state.isInFrame) return state.report('frame-not-begun', {});
    if (!scopeIsFine(check)) return false;
    if (state.viewport !== null) {
      return state.report('viewport-not-ended', { target: nameOf(state.viewport) });
    }
    const previous = state.models.last(handle);
    const texture = previous?.handle === handle ? previous : state.models.add(handle, 'viewport');
    texture.isViewport = texture.isAlive = true;
    texture.usage = TextureUsage.renderAttachment | TextureUsage.copySource;
    state.viewport = texture;
    state.hadViewport = true;
    return true;
  },

  endDrawingViewport({ state }) {
    if (state.viewport === null) return state.report('viewport-not-begun', {});
    endForgottenPass(state);
    return true;
  },

  /** Reports a missing viewport, but always passes the record on, because the executor has to answer it. */
  outputVideoFrame({ state }) {
    if (!state.hadViewport) state.report('video-frame-without-viewport', {});
    return true;
  },

  pushDebugGroup({ state, words, at }) {
    groupsOf(state).push(stringAt(words, at));
    return true;
  },

  popDebugGroup({ state }) {
    const { pass } = state;
    if (groupsOf(state).pop() !== undefined || pass.isDropped) return true;
    const place = pass.scope === Scope.outside ? 'the list' : `the ${state.passName}`;
    return state.report('debug-group-not-begun', { place });
  },

  beginRenderPass: beginPass,
  beginComputePass: beginPass,
  endRenderPass: endPass,
  endComputePass: endPass,
};

/** Checks of scope commands that run last, after the checks of the record's scope, queue and handles. */
export const innerScopeChecks: Checks = {
  beginScene({ state, words, at }) {
    const { scene } = state;
    if (scene !== null) state.report('scene-not-ended', { scene });
    state.scene = stringAt(words, at);
    return true;
  },

  endScene({ state }) {
    if (state.scene === null) return state.report('scene-not-begun', {});
    state.scene = null;
    return true;
  },

  endDrawingViewport({ state }) {
    closeViewport(state);
    return true;
  },
};
