/**
 * Shows what moves in fixed steps between its last two steps, so that it moves evenly however often frames come (SYSTEMS G1).
 *
 *   steps       1 ──────────── 2 ──────────── 3          simulated: what a step reads and writes
 *   frames            │ 1.4          │ 2.1               4/10 of the way from 0 to 1, 1/10 from 1 to 2: a step behind
 *
 * In a step, transforms are the simulated ones; between steps they are the shown ones, also for rays, labels and cameras. What
 * is written between steps is a jump: nothing is shown on the way to it.
 */
import { OptionError, StateError } from '../../core/errors.js';
import { InstancesComponent } from '../components/instances-component.js';
import { type AttachTarget, SceneComponent } from '../components/scene-component.js';
import { TRANSFORM_FLOATS } from '../transforms/transform-store.js';
import type { TickCallback } from './tick-groups.js';

/** Its transforms lie in the world's store, or in the component where that is in no world. */
interface Track {
  readonly component: SceneComponent;
  /** Whose places these are; null: the component itself. */
  readonly instances: InstancesComponent | null;
  /** Before the last step, behind it, and as they were shown last: `TRANSFORM_FLOATS` per transform. */
  before: Float32Array;
  now: Float32Array;
  shown: Float32Array;
  /** How many transforms were noted. */
  count: number;
  /** What the running step does is a jump. */
  isJump: boolean;
}

/** Made by `interpolation()`. */
export class Interpolation {
  readonly #tracks: Track[] = [];
  readonly #components = new Set<SceneComponent>();
  #isUsed = false;
  /** The store has what is shown, not what is simulated. */
  #isShowing = false;
  #isStepping = false;

  /**
   * Interpolates more.
   * @throws OptionError `option-invalid`
   */
  add(...targets: readonly AttachTarget[]): void {
    for (const target of targets) {
      const component = componentOf(target);
      if (this.#components.has(component)) continue;
      this.#components.add(component);
      this.#track(component, null);
      if (component instanceof InstancesComponent) this.#track(component, component);
    }
  }

  /** Interpolates it no more: it is where the last step has left it. */
  remove(target: AttachTarget): void {
    const component = componentOf(target);
    this.#components.delete(component);
    for (let index = this.#tracks.length - 1; index >= 0; index--) {
      const track = this.#tracks[index] as Track;
      if (track.component !== component) continue;
      if (this.#isShowing) showTrack(track, 1, true);
      this.#tracks.splice(index, 1);
    }
  }

  /** What the step writes, or has written, is a jump, on the way to which nothing is shown. For calls within the step. */
  jump(target: AttachTarget): void {
    const component = componentOf(target);
    for (const track of this.#tracks) track.isJump ||= track.component === component;
  }

  /**
   * @internal What `onFixedTick` calls in place of the callback.
   * @throws StateError `interpolation-used`
   */
  around(callback: TickCallback): TickCallback {
    if (typeof callback !== 'function') return callback;
    if (this.#isUsed) {
      throw new StateError(
        'interpolation-used',
        'An interpolation() is for one onFixedTick, whose steps it knows. Make another one.',
      );
    }
    this.#isUsed = true;
    return (deltaSeconds, timeSeconds) => {
      this.#forgetDestroyed();
      for (const track of this.#tracks) beginStep(track, this.#isShowing);
      this.#isShowing = false;
      this.#isStepping = true;
      try {
        callback(deltaSeconds, timeSeconds);
      } finally {
        this.#isStepping = false;
        for (const track of this.#tracks) endStep(track);
      }
    };
  }

  /** @internal Per frame, behind its steps. @param fraction of a step that has passed since the last one */
  show(fraction: number): void {
    if (this.#isStepping) return; // the step ends its own tick
    this.#forgetDestroyed();
    const share = Math.min(1, Math.max(0, fraction));
    for (const track of this.#tracks) showTrack(track, share, this.#isShowing);
    this.#isShowing = true;
  }

  #track(component: SceneComponent, instances: InstancesComponent | null): void {
    const [before, now, shown] = [0, 1, 2].map(() => new Float32Array(TRANSFORM_FLOATS)) as [
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    const track = { component, instances, before, now, shown, count: 0, isJump: false };
    note(track);
    this.#tracks.push(track);
  }

  #forgetDestroyed(): void {
    const tracks = this.#tracks;
    for (let index = tracks.length - 1; index >= 0; index--) {
      const { component } = tracks[index] as Track;
      if (!component.isDestroyed) continue;
      this.#components.delete(component);
      tracks.splice(index, 1);
    }
  }
}

function componentOf(target: AttachTarget): SceneComponent {
  const component = (target as Exclude<AttachTarget, SceneComponent> | null)?.root ?? target;
  if (component instanceof SceneComponent) return component;
  throw refused();
}

const refused = (): OptionError =>
  new OptionError('option-invalid', 'interpolation takes actors and components, in a list.');

/** Instances have places only in a world, and a declared motion is not interpolated: it is no matter of steps. */
function lengthOf({ component, instances }: Track): number {
  if (component.mover) return 0;
  return instances ? instances.nodes.length : 1;
}

const nodeOf = ({ component, instances }: Track, index: number): number =>
  instances ? (instances.nodes[index] as number) : component.node;

/** Makes room, and takes what has come since for standing still. */
function note(track: Track): void {
  const length = lengthOf(track);
  const floats = length * TRANSFORM_FLOATS;
  if (floats > track.now.length) {
    for (const name of ['before', 'now', 'shown'] as const) {
      const array = new Float32Array(Math.max(floats, track[name].length * 2));
      array.set(track[name]);
      track[name] = array;
    }
  }
  for (; track.count < length; track.count++) stand(track, track.count);
  track.count = length;
}

/** Per transform: it is where it is. */
function stand(track: Track, index: number): void {
  const { data } = track.component.store;
  const at = index * TRANSFORM_FLOATS;
  const from = nodeOf(track, index) * TRANSFORM_FLOATS;
  for (let float = 0; float < TRANSFORM_FLOATS; float++) {
    const value = data[from + float] as number;
    track.before[at + float] = track.now[at + float] = track.shown[at + float] = value;
  }
}

/** Per transform: whether nobody has written it since it was shown. */
function isAsShown({ shown }: Track, at: number, data: Float32Array, from: number): boolean {
  for (let float = 0; float < TRANSFORM_FLOATS; float++) {
    if (shown[at + float] !== data[from + float]) return false;
  }
  return true;
}

/** The store has what is simulated again, and that is where the step begins. */
function beginStep(track: Track, isShowing: boolean): void {
  note(track);
  const { data } = track.component.store;
  const { before, now } = track;
  for (let index = 0; index < track.count; index++) {
    const at = index * TRANSFORM_FLOATS;
    const to = nodeOf(track, index) * TRANSFORM_FLOATS;
    if (isShowing && isAsShown(track, at, data, to)) {
      for (let float = 0; float < TRANSFORM_FLOATS; float++) data[to + float] = now[at + float] as number;
    }
    for (let float = 0; float < TRANSFORM_FLOATS; float++) before[at + float] = data[to + float] as number;
  }
}

function endStep(track: Track): void {
  note(track);
  const { data } = track.component.store;
  const { before, now, isJump } = track;
  track.isJump = false;
  for (let index = 0; index < track.count; index++) {
    const at = index * TRANSFORM_FLOATS;
    const from = nodeOf(track, index) * TRANSFORM_FLOATS;
    for (let float = 0; float < TRANSFORM_FLOATS; float++) {
      const value = data[from + float] as number;
      now[at + float] = value;
      if (isJump) before[at + float] = value;
    }
  }
}

/** @param isShowing no step was made since it was shown last: what is different was written, and stays */
function showTrack(track: Track, share: number, isShowing: boolean): void {
  note(track);
  const { store } = track.component;
  const { data } = store;
  const { shown } = track;
  for (let index = 0; index < track.count; index++) {
    const at = index * TRANSFORM_FLOATS;
    const to = nodeOf(track, index) * TRANSFORM_FLOATS;
    if (isShowing && !isAsShown(track, at, data, to)) {
      stand(track, index);
      continue;
    }
    const isMoved = blend(track, at, share);
    for (let float = 0; float < TRANSFORM_FLOATS; float++) data[to + float] = shown[at + float] as number;
    // What rests is not sent.
    if (isMoved) store.mark(nodeOf(track, index));
  }
}

/** Per transform: what lies between the two steps becomes what is shown. @returns whether that is another one than before */
function blend({ before, now, shown }: Track, at: number, share: number): boolean {
  let isMoved = false;
  let dot = 0;
  for (let float = at + 3; float < at + 7; float++) dot += (before[float] as number) * (now[float] as number);
  // A rotation and its negative are the same: the shorter way is meant.
  const sign = dot < 0 ? -1 : 1;
  let isTurned = false;
  let lengthSquared = 0;
  for (let float = at + 3; float < at + 7; float++) {
    const from = (before[float] as number) * sign;
    const to = now[float] as number;
    isTurned ||= from !== to;
    lengthSquared += (from + (to - from) * share) ** 2;
  }
  // Of what rests, and at the step itself, the numbers are the step's own, to the bit.
  const factor = 1 / Math.sqrt(lengthSquared);
  for (let index = 0; index < TRANSFORM_FLOATS; index++) {
    const float = at + index;
    const isTurn = index >= 3 && index < 7;
    const from = isTurn ? (before[float] as number) * sign : (before[float] as number);
    const to = now[float] as number;
    let value = to;
    if (share < 1 && (isTurn ? isTurned && factor < Infinity : from !== to)) {
      value = Math.fround((from + (to - from) * share) * (isTurn ? factor : 1));
    }
    isMoved ||= shown[float] !== value;
    shown[float] = value;
  }
  return isMoved;
}

/**
 * What is shown between the fixed steps that move it, as the option `interpolate` of one `world.onFixedTick`. Its code is only in
 * pages that use it.
 *
 * @param targets actors and components; of instances all places
 * @throws OptionError `option-invalid`
 * @example
 * const smooth = interpolation([ball, boxes]);
 * world.onFixedTick(step, { hertz: 30, interpolate: smooth });
 */
export function interpolation(targets: Iterable<AttachTarget> = []): Interpolation {
  const made = new Interpolation();
  if (typeof targets?.[Symbol.iterator] !== 'function') throw refused();
  made.add(...targets);
  return made;
}
