/**
 * Moves an actor by a declared motion. Meanwhile a `NodeMover` replaces the actor's transform store: a read
 * computes the current transform, and a write is checked against the motion.
 *
 *   actor.position ──► NodeMover ──► TransformStore        data: evaluated at the world's scene time, when read
 *   with clips     ──► ClipPose ──► NodeMover ──► TransformStore       even if the clips began first
 *
 * Parts that the motion does not drive can be written as usual. After a write to the driven part, a spin or
 * orbit continues from the written value. Keyframes throw, because they would overwrite the value at once.
 */
import { OptionError, SceneError } from '../../core/errors.js';
import { type EvaluateMotion, MotionTarget } from '../../proxy/motion/motion.js';
import { motionSeconds } from '../../proxy/motion/motion-seconds.js';
import { TRANSFORM_NUMBERS, type TransformArray } from '../../proxy/transform-array.js';
import type { SceneComponent } from '../components/scene-component.js';
import type { TransformPlace } from '../transforms/transform-store.js';
import type { SceneUpdates } from '../updates/scene-updates.js';
import type { Mover } from './motion.js';
import { type MotionSource, type MotionUpdates, motionsOf } from './motion-updates.js';

/** The definition that `spin`, `orbit` and `keyframes` create. */
interface MotionDeclaration {
  /** The function that the page called, for messages. */
  readonly name: string;
  /** A value of `MotionKind`. */
  readonly kind: number;
  readonly evaluate: EvaluateMotion;
  /** Returns the parameters for an actor with this transform, which is ten numbers. */
  readonly parametersFrom: (transform: Float64Array) => Float64Array;
  /** Whether a write to the driven part restarts the motion from the written value. */
  readonly isRelative: boolean;
}

/** A declared motion of an actor, made by `spin()`, `orbit()` or `keyframes()`. One object may move many actors. */
export class Motion {
  /** @internal */
  readonly declaration: MotionDeclaration;

  /** @internal */
  constructor(declaration: MotionDeclaration) {
    this.declaration = declaration;
  }

  /** @internal */
  moverFor(component: SceneComponent): NodeMover {
    if (!component.store) {
      throw new OptionError(
        'option-invalid',
        `${this.declaration.name}() moves actors. A material takes animate().`,
      );
    }
    const { controls } = component as SceneComponent & { readonly controls?: string | null };
    if (controls) {
      throw new SceneError(
        'camera-controlled',
        `${this.declaration.name}() can't move "${component.name}": ${controls}() moves this camera. Dispose of those controls first.`,
      );
    }
    return new NodeMover(this, component);
  }
}

/** Start time of a motion that begins with the next frame. Until then it evaluates to its beginning. */
const NOT_STARTED = Number.POSITIVE_INFINITY;

const scratch = /* @__PURE__ */ new Float64Array(TRANSFORM_NUMBERS);
/** The transform that the page has written. */
const written = /* @__PURE__ */ new Float64Array(TRANSFORM_NUMBERS);

export class NodeMover implements Mover<Motion>, MotionSource, TransformPlace {
  readonly motion: Motion;
  readonly #component: SceneComponent;
  #motions: MotionUpdates | null = null;
  /** The storage of the transform, behind this mover; null while the actor is in no world. */
  #place: TransformPlace | null = null;
  #parameters: Float64Array = scratch;
  /** Scene time of the first frame that shows the motion. */
  #startSeconds = NOT_STARTED;
  #evaluatedAt = Number.NaN;

  constructor(motion: Motion, component: SceneComponent) {
    this.motion = motion;
    this.#component = component;
  }

  begin(): void {
    const { updates } = this.#component;
    if (updates) this.enter(updates);
  }

  enter(updates: SceneUpdates): void {
    const component = this.#component;
    const { store } = component;
    this.#motions = motionsOf(updates);
    this.#place = store.rest ?? store;
    this.#restart();
    if (store.rest) {
      store.rest = this;
      this.#bringUpToDate();
    } else component.moveTo(this, component.node);
  }

  leave(): void {
    const place = this.#place;
    if (!place) return;
    this.#motions?.remove(this);
    const { store, node } = this.#component;
    if (store.rest === this) {
      this.#bringUpToDate();
      place.mark(node);
      store.rest = place;
    } else this.#component.moveTo(place, node);
    this.#place = null;
  }

  end(): void {
    this.leave();
    if (this.#component.updates) this.#motions?.end(this, MotionTarget.node, this.#component.node);
  }

  get endSeconds(): number {
    return this.#startSeconds + motionSeconds(this.motion.declaration.kind, this.#parameters);
  }

  declare(motions: MotionUpdates): void {
    const { kind } = this.motion.declaration;
    if (this.#startSeconds === NOT_STARTED) this.#startSeconds = motions.frameSeconds;
    motions.write(MotionTarget.node, this.#component.node, kind, this.#startSeconds, this.#parameters);
  }

  // Members of `TransformPlace`:

  /** The store's transforms. Reading them evaluates the transform of this actor first. */
  get data(): TransformArray {
    return this.#bringUpToDate();
  }

  #bringUpToDate(): TransformArray {
    const { data } = this.#place as TransformPlace;
    const time = this.#motions?.timeSeconds ?? 0;
    if (time !== this.#evaluatedAt) {
      this.#evaluatedAt = time;
      const { node } = this.#component;
      data.read(node, scratch);
      this.#evaluate();
      data.write(node, scratch);
    }
    return data;
  }

  /**
   * Per write by the page: if it changed a driven part, restarts a relative motion. Other motions throw
   * `motion-drives`, because they would overwrite the change.
   */
  mark(node: number): void {
    const place = this.#place as TransformPlace;
    place.mark(node);
    const { data } = place;
    const { isRelative } = this.motion.declaration;
    data.read(node, written);
    scratch.set(written);
    this.#evaluate();
    if (!data.write(node, scratch)) return;
    if (isRelative) {
      data.write(node, written);
      this.#restart();
      return;
    }
    throw this.#drivesError();
  }

  /**
   * Throws `motion-drives` if the motion overwrites each write to a part of the transform.
   * @param part offset of the part's first number
   */
  checkPart(part: number): void {
    const { isRelative, evaluate } = this.motion.declaration;
    if (isRelative || !this.#place) return;
    // A motion leaves the numbers that it does not drive unchanged.
    scratch.fill(Number.NaN);
    evaluate(this.#parameters, 0, scratch, 0);
    if (!Number.isNaN(scratch[part])) throw this.#drivesError();
  }

  #drivesError(): SceneError {
    const { name } = this.motion.declaration;
    return new SceneError(
      'motion-drives',
      `"${this.#component.name}" is moved by ${name}(), which would overwrite the new value. Set its motion to null first, or move its parent.`,
    );
  }

  free(node: number): void {
    this.#place?.free(node);
  }

  /** Restarts the motion from the current transform, with the next frame. */
  #restart(): void {
    const { data } = this.#place as TransformPlace;
    data.read(this.#component.node, scratch);
    this.#parameters = this.motion.declaration.parametersFrom(scratch);
    this.#startSeconds = NOT_STARTED;
    this.#motions?.add(this);
  }

  /** Writes the driven numbers to `scratch`. */
  #evaluate(): void {
    this.motion.declaration.evaluate(this.#parameters, this.#evaluatedAt - this.#startSeconds, scratch, 0);
  }
}
