/**
 * Moves an actor by a declared motion. While it does, it stands between the actor's transform and who reads or
 * writes it: reading computes where the actor is now, writing what the motion drives is noticed.
 *
 *   actor.position ──► NodeMover ──► TransformStore        data: evaluated at the world's scene time, when asked for
 *   under clips    ──► ClipPose ──► NodeMover ──► TransformStore       whichever came first: clips play over what moves
 *
 * What the motion does not drive is written as ever. Written over, a spin or orbit goes on from what was written;
 * keyframes refuse, because they would take it back at once.
 */
import { OptionError, SceneError } from '../../core/errors.js';
import { type EvaluateMotion, MotionTarget } from '../../proxy/motion/motion.js';
import type { SceneComponent } from '../components/scene-component.js';
import { TRANSFORM_FLOATS, type TransformPlace } from '../transforms/transform-store.js';
import type { SceneUpdates } from '../updates/scene-updates.js';
import type { Mover } from './motion.js';
import { type MotionSource, type MotionUpdates, motionsOf } from './motion-updates.js';

/** What spin, orbit and keyframes are made of. */
interface MotionDeclaration {
  /** As the page called it, for messages. */
  readonly name: string;
  /** `MotionKind`. */
  readonly kind: number;
  readonly evaluate: EvaluateMotion;
  /** The parameters for an actor whose transform begins at `data[at]`. */
  readonly parametersFrom: (data: Float32Array, at: number) => Float32Array;
  /** Whether it begins anew from what is written over it. */
  readonly isRelative: boolean;
}

/** A declared motion of an actor, made by `spin()`, `orbit()` or `keyframes()`. One may move many actors. */
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
    return new NodeMover(this, component);
  }
}

/** Before the first frame that shows it, a motion is where it begins. */
const NOT_YET = Number.POSITIVE_INFINITY;

const scratch = /* @__PURE__ */ new Float32Array(TRANSFORM_FLOATS);

export class NodeMover implements Mover<Motion>, MotionSource, TransformPlace {
  readonly motion: Motion;
  readonly #component: SceneComponent;
  #motions: MotionUpdates | null = null;
  /** Where the transform lies; null while the actor is in no world. */
  #place: TransformPlace | null = null;
  #parameters: Float32Array = scratch;
  /** Scene time of the first frame that shows it. */
  #startSeconds = NOT_YET;
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

  declare(motions: MotionUpdates): void {
    const { kind } = this.motion.declaration;
    if (this.#startSeconds === NOT_YET) this.#startSeconds = motions.frameSeconds;
    motions.write(MotionTarget.node, this.#component.node, kind, this.#startSeconds, this.#parameters);
  }

  // TransformPlace

  /** The store's numbers, with the actor's brought up to date. */
  get data(): Float32Array {
    return this.#bringUpToDate();
  }

  #bringUpToDate(): Float32Array {
    const { data } = this.#place as TransformPlace;
    const time = this.#motions?.timeSeconds ?? 0;
    if (time !== this.#evaluatedAt) {
      this.#evaluatedAt = time;
      this.#evaluate(data, this.#component.node * TRANSFORM_FLOATS);
    }
    return data;
  }

  /** Per set by the page. Throws `motion-drives` where the motion would take it back. */
  mark(node: number): void {
    const place = this.#place as TransformPlace;
    place.mark(node);
    const { data } = place;
    const at = node * TRANSFORM_FLOATS;
    for (let index = 0; index < TRANSFORM_FLOATS; index++) scratch[index] = data[at + index] as number;
    this.#evaluate(scratch, 0);
    if (scratch.every((value, index) => Object.is(value, data[at + index]))) return;
    const { isRelative, name } = this.motion.declaration;
    if (isRelative) {
      this.#restart();
      return;
    }
    data.set(scratch, at);
    throw new SceneError(
      'motion-drives',
      `"${this.#component.name}" is moved by ${name}(), which would take back what is written. Set its motion to null first, or move what it is attached to.`,
    );
  }

  free(node: number): void {
    this.#place?.free(node);
  }

  /** Begins from the transform as it is, with the next frame. */
  #restart(): void {
    const { data } = this.#place as TransformPlace;
    this.#parameters = this.motion.declaration.parametersFrom(data, this.#component.node * TRANSFORM_FLOATS);
    this.#startSeconds = NOT_YET;
    this.#motions?.add(this);
  }

  #evaluate(out: Float32Array, at: number): void {
    this.motion.declaration.evaluate(this.#parameters, this.#evaluatedAt - this.#startSeconds, out, at);
  }
}
