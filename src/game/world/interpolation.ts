/**
 * Interpolates objects that move in fixed steps. Each object is shown between its last two steps, so that it moves
 * evenly at any frame rate (SYSTEMS G1).
 *
 *   steps       1 ──────────── 2 ──────────── 3          simulated: the values that a step reads and writes
 *   frames            │ 1.4          │ 2.1               4/10 of the way from 0 to 1, 1/10 from 1 to 2: a step behind
 *
 * During a step, transforms have their simulated values. Between steps they have the shown values, also for
 * rays, labels and cameras. A write between steps is a jump, which is shown at once and not interpolated.
 */
import { OptionError, StateError } from '../../core/errors.js';
import { ROTATION } from '../../proxy/motion/motion.js';
import { TRANSFORM_NUMBERS, TransformArray } from '../../proxy/transform-array.js';
import { InstancesComponent } from '../components/instances-component.js';
import { type AttachTarget, SceneComponent } from '../components/scene-component.js';
import { normalize } from '../transforms/transform-math.js';
import type { TickCallback } from './tick-groups.js';

/**
 * Recorded transforms of an interpolated component: its own transform, or those of its instances.
 */
interface Track {
  readonly component: SceneComponent;
  /** The component, for a track of its instances; null for a track of the component's own transform. */
  readonly instances: InstancesComponent | null;
  /** Transforms before the last step, after it, and as last shown. */
  readonly before: TransformArray;
  readonly now: TransformArray;
  readonly shown: TransformArray;
  /** Number of recorded transforms. */
  count: number;
  /** Set when the running step is a jump for this component. */
  isJump: boolean;
}

/** The value that `interpolation()` returns. */
export class Interpolation {
  readonly #tracks: Track[] = [];
  readonly #components = new Set<SceneComponent>();
  #isUsed = false;
  /** Set while the store has the shown values instead of the simulated ones. */
  #isShowing = false;
  #isStepping = false;

  /**
   * Adds targets to interpolate.
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

  /** Stops interpolating a target. The target moves to where the last step has left it. */
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

  /**
   * Makes the running step a jump for a target: the target is shown at its new place at once. Call this
   * within the step.
   */
  jump(target: AttachTarget): void {
    const component = componentOf(target);
    for (const track of this.#tracks) track.isJump ||= track.component === component;
  }

  /**
   * @internal Returns the callback that `onFixedTick` calls instead of the given one.
   * @throws StateError `interpolation-used`
   */
  wrapStep(callback: TickCallback): TickCallback {
    if (typeof callback !== 'function') return callback;
    if (this.#isUsed) {
      throw new StateError(
        'interpolation-used',
        'An interpolation() works for one onFixedTick only. Create another one.',
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

  /**
   * @internal Per frame, after its steps: shows the targets between their last two steps.
   * @param fraction fraction of a step that has passed since the last step
   */
  show(fraction: number): void {
    if (this.#isStepping) return; // a step has ended the fixed tick
    this.#forgetDestroyed();
    const share = Math.min(1, Math.max(0, fraction));
    for (const track of this.#tracks) showTrack(track, share, this.#isShowing);
    this.#isShowing = true;
  }

  #track(component: SceneComponent, instances: InstancesComponent | null): void {
    const track = {
      component,
      instances,
      before: new TransformArray(1),
      now: new TransformArray(1),
      shown: new TransformArray(1),
      count: 0,
      isJump: false,
    };
    record(track);
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
  throw invalidTarget();
}

const invalidTarget = (): OptionError =>
  new OptionError('option-invalid', 'interpolation takes actors and components, in a list.');

/**
 * Returns the number of transforms. Instances have transforms only in a world. A component with a declared motion has
 * none to interpolate, because the motion does not move in steps.
 */
function lengthOf({ component, instances }: Track): number {
  if (component.mover) return 0;
  if (instances) return instances.updates ? instances.placeCount : 0;
  return 1;
}

/** Per transform: copies the stored values of a target to `out`. */
function load({ component, instances }: Track, index: number, out: TransformArray): void {
  if (instances) instances.shown.read(index, out, index);
  else out.copy(index, component.store.data, component.node);
}

/** Per transform: sets the stored values of a target. */
function save({ component, instances }: Track, index: number, from: TransformArray): void {
  if (instances) instances.shown.write(index, from, index);
  else component.store.data.copy(component.node, from, index);
}

/** Returns whether the stored values of a target equal its shown values. */
function isShown({ component, instances, shown }: Track, index: number): boolean {
  if (instances) return instances.shown.isSame(index, shown, index);
  return shown.isSame(index, component.store.data, component.node);
}

/** Grows the arrays to the current number of transforms. New transforms are recorded as resting. */
function record(track: Track): void {
  const length = lengthOf(track);
  const { before, now, shown } = track;
  const { capacity } = now;
  if (length > capacity)
    for (const array of [before, now, shown]) array.reserve(Math.max(length, capacity * 2));
  for (; track.count < length; track.count++) recordAsResting(track, track.count);
  track.count = length;
}

/** Per transform: records the current values for both steps, so that the transform rests. */
function recordAsResting(track: Track, index: number): void {
  load(track, index, track.before);
  load(track, index, track.now);
  load(track, index, track.shown);
}

/** Restores the simulated values in the store, and records them as the start of the step. */
function beginStep(track: Track, isShowing: boolean): void {
  record(track);
  for (let index = 0; index < track.count; index++) {
    // A transform that differs from its shown values was written by the page, and is kept.
    if (isShowing && isShown(track, index)) save(track, index, track.now);
    load(track, index, track.before);
  }
}

function endStep(track: Track): void {
  record(track);
  const { before, now, isJump } = track;
  track.isJump = false;
  for (let index = 0; index < track.count; index++) {
    load(track, index, now);
    if (isJump) load(track, index, before);
  }
}

/**
 * Writes the shown transforms of a track to the store.
 * @param isShowing whether no step has run since the last call. A transform that differs from its shown values was
 * then written by the page, and is kept
 */
function showTrack(track: Track, share: number, isShowing: boolean): void {
  record(track);
  const { component, instances } = track;
  for (let index = 0; index < track.count; index++) {
    if (isShowing && !isShown(track, index)) {
      recordAsResting(track, index);
      continue;
    }
    const isMoved = blend(track, index, share);
    save(track, index, track.shown);
    // A transform that has not moved is not sent.
    if (!isMoved) continue;
    if (instances) instances.markPlace(index);
    else component.store.mark(component.node);
  }
}

/** Numbers of the transform before the step, after it, and between both. */
const from = /* @__PURE__ */ new Float64Array(TRANSFORM_NUMBERS);
const to = /* @__PURE__ */ new Float64Array(TRANSFORM_NUMBERS);
const between = /* @__PURE__ */ new Float64Array(TRANSFORM_NUMBERS);

/** Per transform: computes the shown values between the two steps. @returns whether they have changed */
function blend({ before, now, shown }: Track, index: number, share: number): boolean {
  now.read(index, to);
  // A transform exactly at the step keeps the step's numbers bit for bit.
  if (share === 1) return shown.write(index, to);
  before.read(index, from);
  for (let number = 0; number < TRANSFORM_NUMBERS; number++) {
    const start = from[number] as number;
    between[number] = start + ((to[number] as number) - start) * share;
  }
  blendRotation(share);
  return shown.write(index, between);
}

function blendRotation(share: number): void {
  // A resting rotation keeps its bits. The rotations of instances have any length.
  let hasRotated = false;
  for (let number = ROTATION; number < ROTATION + 4; number++) {
    hasRotated ||= from[number] !== to[number];
    between[number] = to[number] as number;
  }
  if (!hasRotated) return;
  normalize(from, ROTATION);
  normalize(to, ROTATION);
  let dot = 0;
  for (let number = ROTATION; number < ROTATION + 4; number++)
    dot += (from[number] as number) * (to[number] as number);
  // A quaternion and its negative are the same rotation. The sign picks the shorter way.
  const sign = dot < 0 ? -1 : 1;
  for (let number = ROTATION; number < ROTATION + 4; number++) {
    const start = (from[number] as number) * sign;
    between[number] = start + ((to[number] as number) - start) * share;
  }
  normalize(between, ROTATION);
}

/**
 * Returns an object that shows the targets between the fixed steps that move them. Pass the object as the option
 * `interpolate` of one `world.onFixedTick`. Only pages that import this function load its code.
 *
 * @param targets actors and components; all places of instances
 * @throws OptionError `option-invalid`
 * @example
 * const smooth = interpolation([ball, boxes]);
 * world.onFixedTick(step, { hertz: 30, interpolate: smooth });
 */
export function interpolation(targets: Iterable<AttachTarget> = []): Interpolation {
  const created = new Interpolation();
  if (typeof targets?.[Symbol.iterator] !== 'function') throw invalidTarget();
  created.add(...targets);
  return created;
}
