/** One drag of a gizmo's handle. All changes are computed from the state at the press, so rounding never adds up. */
import { aboutAxis, combine } from '../../../core/math/rotations.js';
import type { Actor } from '../../components/actor.js';
import type { Ray } from '../../components/camera-rays.js';
import { inverseRows } from '../../transforms/inverse-rows.js';
import { cross, dot, type Triple, tripleAt, unit } from '../../transforms/triples.js';
import { minus, nearestOnLine, plus, pointOnPlane } from '../pointer-rays.js';
import { moveInWorld } from '../world-placement.js';
import type { GizmoFrame } from './gizmo-frame.js';
import { type GizmoMode, type Handle, othersOf } from './gizmo-handles.js';
import type { GizmoSnap } from './gizmo-options.js';

/** A pointer during the drag. */
interface GizmoPointer {
  readonly ray: Ray;
  /** Movement since the press, in heights of the picture. */
  readonly right: number;
  readonly down: number;
}

/**
 * Least cosine between a ring's axis and the view. Below it, the ring is seen edge-on, and a drag along its near side
 * turns it.
 */
const EDGE_ON = 0.2;
/** A pointer that would move the actor farther than this many arrow lengths is ignored. */
const FARTHEST = 1000;
const LEAST_FACTOR = 0.01;
/** The box in the middle scales by e^(SCALE_RATE × heights of the picture). */
const SCALE_RATE = 4;

const snapped = (value: number, step: number): number => (step > 0 ? Math.round(value / step) * step : value);

export class GizmoDrag {
  readonly actor: Actor;
  readonly mode: GizmoMode;
  readonly #frame: GizmoFrame;
  readonly #handle: Handle;
  /** Axis of the handle in the world. */
  readonly #axis: Triple;
  readonly #position: Triple;
  readonly #rotation: readonly number[];
  readonly #scale: Triple;
  readonly #start: Ray;

  constructor(actor: Actor, frame: GizmoFrame, mode: GizmoMode, handle: Handle, ray: Ray) {
    const { rotation, scale } = actor;
    this.actor = actor;
    this.#frame = frame;
    this.mode = mode;
    this.#handle = handle;
    this.#axis = frame.axes[handle.axis];
    this.#position = actor.worldPosition;
    this.#rotation = [...rotation];
    this.#scale = [scale.x, scale.y, scale.z];
    this.#start = ray;
  }

  /** Changes the actor. */
  move(pointer: GizmoPointer, snap: Required<GizmoSnap>): void {
    const { kind } = this.#handle;
    if (kind === 'square') this.#slide(pointer.ray, snap.translate);
    else if (kind === 'ring') this.#turn(pointer.ray, snap.rotate);
    else if (kind === 'middle') this.#scaleAll(pointer, snap.scale);
    else if (this.mode === 'scale') this.#scaleAxis(pointer.ray, snap.scale);
    else this.#shift(pointer.ray, snap.translate);
  }

  #shift(ray: Ray, step: number): void {
    const metres = this.#along(ray, this.#axis);
    if (metres === null) return;
    moveInWorld(this.actor.root, plus(this.#position, this.#axis, snapped(metres, step)));
  }

  #slide(ray: Ray, step: number): void {
    const { center, axes } = this.#frame;
    const from = pointOnPlane(this.#start, center, this.#axis);
    const to = pointOnPlane(ray, center, this.#axis);
    if (!from || !to) return;
    let position = this.#position;
    for (const axis of othersOf(this.#handle.axis)) {
      position = plus(position, axes[axis], snapped(dot(minus(to, from), axes[axis]), step));
    }
    moveInWorld(this.actor.root, position);
  }

  #turn(ray: Ray, step: number): void {
    const radians = this.#angle(ray);
    if (radians === null) return;
    const { parent } = this.actor.root;
    const matrix = parent?.worldFromLocal([]);
    const rows = matrix && inverseRows(matrix);
    const axis = rows ? unit(rows.map((row) => dot(row, this.#axis)) as Triple) : this.#axis;
    // A mirrored parent turns the other way round.
    const sign = matrix && isMirrored(matrix) ? -1 : 1;
    const turn = aboutAxis(axis, sign * snapped(radians, step));
    this.actor.rotation.set(combine(turn, this.#rotation));
  }

  /** Radians about the axis since the press; `null` if the pointer gives no angle. */
  #angle(ray: Ray): number | null {
    const { center, view, scale } = this.#frame;
    const axis = this.#axis;
    if (Math.abs(dot(axis, view)) < EDGE_ON) {
      // The near side of the ring moves along this line.
      const metres = this.#along(ray, unit(cross(axis, view)));
      return metres === null ? null : metres / scale;
    }
    const from = pointOnPlane(this.#start, center, axis);
    const to = pointOnPlane(ray, center, axis);
    if (!from || !to) return null;
    const [a, b] = [minus(from, center), minus(to, center)];
    return Math.atan2(dot(cross(a, b), axis), dot(a, b));
  }

  #scaleAxis(ray: Ray, step: number): void {
    const { center, scale } = this.#frame;
    const from = Math.max(nearestOnLine(this.#start, center, this.#axis) ?? 0, scale / 20);
    const metres = this.#along(ray, this.#axis);
    if (metres === null) return;
    const factors: Triple = [1, 1, 1];
    factors[this.#handle.axis] = this.#factor((from + metres) / from, step);
    this.#scaleBy(factors);
  }

  #scaleAll({ right, down }: GizmoPointer, step: number): void {
    const factor = this.#factor(Math.exp((right - down) * SCALE_RATE), step);
    this.#scaleBy([factor, factor, factor]);
  }

  #factor(factor: number, step: number): number {
    return Math.max(snapped(factor, step), step || LEAST_FACTOR);
  }

  #scaleBy(factors: Triple): void {
    this.actor.scale = this.#scale.map((value, axis) => value * (factors[axis] as number)) as Triple;
  }

  /** Metres along a line through the middle since the press; `null` if the pointer is too far away. */
  #along(ray: Ray, axis: Triple): number | null {
    const { center, scale } = this.#frame;
    const from = nearestOnLine(this.#start, center, axis);
    const to = nearestOnLine(ray, center, axis);
    if (from === null || to === null || Math.abs(to - from) > scale * FARTHEST) return null;
    return to - from;
  }
}

const isMirrored = (matrix: readonly number[]): boolean =>
  dot(tripleAt(matrix, 0), cross(tripleAt(matrix, 4), tripleAt(matrix, 8))) < 0;
