/**
 * The views behind `actor.position`, `.rotation` and `.scale`, which read and write the packed transforms. A
 * write changes the store at once and marks the node as changed. A view has its own references to the store and
 * the node, so a write touches no other object.
 *
 *   actor.position ─► view: store, node ─► store.data.doubles        64 bits
 *   rotation, scale ─► view: store, node ─► store.data.floats         32 bits
 *
 * A value that is not finite, or too large for a 32-bit float, throws at the call.
 */
import { SceneError } from '../../core/errors.js';
import type { QuaternionLike, VectorLike } from '../../core/math/vectors.js';
import { shownValue } from '../../core/options/shown-value.js';
import {
  ROTATION_WORD,
  SCALE_WORD,
  TRANSFORM_DOUBLES,
  TRANSFORM_WORDS,
} from '../../proxy/transform-array.js';
import { isBigInt, warnOfParts } from '../checks/slips.js';
import type { TransformPlace } from './transform-store.js';

export type { QuaternionLike, VectorLike };

/** The owner of a transform: a node of a store. */
interface TransformOwner {
  readonly store: TransformPlace;
  readonly node: number;
  /** Name in messages. */
  readonly name: string;
}

/** Largest magnitude of a 32-bit float. */
const MAXIMUM_FLOAT = 3.4028234663852886e38;

/** Returns whether a value is finite as a 32-bit float. False for a BigInt, because arithmetic with it throws. */
export const isFloat = (value: unknown): boolean =>
  typeof value !== 'bigint' && Math.abs(value as number) <= MAXIMUM_FLOAT;

/**
 * Returns the numbers of a vector, array or object. Missing numbers are undefined, which callers reject as
 * not finite. If there are too many, all are undefined.
 */
export function numbersOf(value: object, count: 3 | 4): number[] {
  const { x, y, z, w } = value as Record<string, unknown>;
  const parts = 'x' in value ? [x, y, z, w].slice(0, count) : Array.from(value as ArrayLike<unknown>);
  return (parts.length > count ? new Array(count).fill(undefined) : parts) as number[];
}

export function throwNotFinite(owner: TransformOwner, what: string, ...values: number[]): never {
  const takes =
    values.length > 1
      ? `${values.length} finite numbers, one by one, as an array or as an object with ${values.length > 3 ? 'x, y, z and w' : 'x, y and z'}`
      : 'a finite number';
  const [first, ...others] = values;
  // Omitted arguments are NaN.
  const isSingleNumber = others.length > 1 && Number.isFinite(first) && others.every(Number.isNaN);
  const given = isSingleNumber ? [first] : values;
  // NaN and infinite numbers come from arithmetic, everything else from a wrong argument.
  const isArithmetic = !isSingleNumber && values.every((value) => typeof value === 'number');
  throw new SceneError(
    'transform-not-finite',
    `The ${what} of "${owner.name}" can't be (${given.map(shownValue).join(', ')}): it takes ${takes}.${isArithmetic ? ' Look for a division by zero.' : ''}`,
  );
}

export function throwNoRotation(owner: TransformOwner, what: string): never {
  throw new SceneError(
    'rotation-zero',
    `The ${what} of "${owner.name}" can't be (0, 0, 0, 0): that is not a rotation. Use (0, 0, 0, 1) for no rotation.`,
  );
}

/** Three numbers of a transform: position in metres, or scale as factors. */
export class Vector3View {
  #store: TransformPlace;
  #node: number;
  readonly #isPosition: boolean;
  readonly #owner: TransformOwner;

  /** @internal */
  constructor(owner: TransformOwner, part: 'position' | 'scale') {
    this.#store = owner.store;
    this.#node = owner.node;
    this.#isPosition = part === 'position';
    this.#owner = owner;
  }

  set(x: number, y: number, z: number): void;
  set(value: VectorLike): void;
  /**
   * Per set. Three separate numbers are the fast path: V8 inlines the method into the caller's loop and keeps the
   * numbers in registers. Rare cases are methods of their own. In a longer method V8 would stop inlining and
   * allocate a heap object per number. It would also do so if this method called too many short methods (`bench`,
   * B1 and B4).
   */
  set(first: number | VectorLike, y = Number.NaN, z = Number.NaN): void {
    if (typeof first === 'object' && first) {
      this.#setParts(first);
      return;
    }
    if (globalThis.FENCEPOST_DEVELOPMENT && [first, y, z].some(isBigInt)) this.refuse(first as number, y, z);
    const x = first as number;
    if (!(Math.abs(x) + Math.abs(y) + Math.abs(z) <= MAXIMUM_FLOAT)) this.refuse(x, y, z);
    if (!this.#isPosition) {
      this.#setScale(x, y, z);
      return;
    }
    const store = this.#store;
    const { doubles } = store.data;
    const at = this.#node * TRANSFORM_DOUBLES;
    doubles[at] = x;
    doubles[at + 1] = y;
    doubles[at + 2] = z;
    store.mark(this.#node);
  }

  #setScale(x: number, y: number, z: number): void {
    const store = this.#store;
    const { floats } = store.data;
    const at = this.#node * TRANSFORM_WORDS + SCALE_WORD;
    floats[at] = x;
    floats[at + 1] = y;
    floats[at + 2] = z;
    store.mark(this.#node);
  }

  #setParts(value: object): void {
    const [x, y, z] = numbersOf(value, 3) as [number, number, number];
    // `set` would replace undefined by its default, and the message would not say which number is missing.
    if (y === undefined || z === undefined) this.refuse(x, y, z);
    this.set(x, y, z);
  }

  /** Sets all three numbers from another vector, an array or an object. */
  copy(value: VectorLike): void {
    this.set(value);
  }

  /** Iterates over the three numbers, so that the vector can be spread or passed as an array of numbers. */
  *[Symbol.iterator](): Generator<number> {
    yield this.#get(0);
    yield this.#get(1);
    yield this.#get(2);
  }

  get length(): 3 {
    return 3;
  }

  get x(): number {
    return this.#get(0);
  }
  set x(value: number) {
    this.set(value, this.#get(1), this.#get(2));
  }
  get y(): number {
    return this.#get(1);
  }
  set y(value: number) {
    this.set(this.#get(0), value, this.#get(2));
  }
  get z(): number {
    return this.#get(2);
  }
  set z(value: number) {
    this.set(this.#get(0), this.#get(1), value);
  }

  #get(index: number): number {
    const { data } = this.#store;
    return this.#isPosition
      ? (data.doubles[this.#node * TRANSFORM_DOUBLES + index] as number)
      : (data.floats[this.#node * TRANSFORM_WORDS + SCALE_WORD + index] as number);
  }

  /** @internal */
  refuse(x: number, y: number, z: number): never {
    throwNotFinite(this.#owner, this.#isPosition ? 'position' : 'scale', x, y, z);
  }

  /** @internal Updates the view after its owner has entered or left a world, which moves the transform. */
  follow(): void {
    this.#store = this.#owner.store;
    this.#node = this.#owner.node;
  }
}

/** A rotation as a unit quaternion. `set` normalizes; `.x .y .z .w` write their number unchanged. */
export class QuaternionView {
  #store: TransformPlace;
  #node: number;
  readonly #owner: TransformOwner;

  /** @internal */
  constructor(owner: TransformOwner) {
    this.#store = owner.store;
    this.#node = owner.node;
    this.#owner = owner;
  }

  set(x: number, y: number, z: number, w: number): void;
  set(value: QuaternionLike): void;
  /**
   * Per set. Throws `rotation-zero` for a quaternion of length 0, and `transform-not-finite`.
   * Kept short for the same reason as `Vector3View.set`.
   */
  set(first: number | QuaternionLike, y = Number.NaN, z = Number.NaN, w = Number.NaN): void {
    if (typeof first === 'object' && first) {
      this.#setParts(first);
      return;
    }
    if (globalThis.FENCEPOST_DEVELOPMENT && [first, y, z, w].some(isBigInt))
      this.refuse(first as number, y, z, w);
    const x = first as number;
    const factor = 1 / Math.sqrt(x * x + y * y + z * z + w * w);
    // The factor is finite and above 0 for every rotation. The result has length 1 and needs no further
    // check.
    if (!(factor > 0 && factor < Infinity)) this.refuse(x, y, z, w);
    this.#write(x * factor, y * factor, z * factor, w * factor);
  }

  #setParts(value: object): void {
    const [x, y, z, w] = numbersOf(value, 4) as [number, number, number, number];
    if (y === undefined || z === undefined || w === undefined) this.refuse(x, y, z, w);
    this.set(x, y, z, w);
  }

  /** Sets the rotation from another rotation, an array or an object. */
  copy(value: QuaternionLike): void {
    this.set(value);
  }

  /** Iterates over the four numbers, so that the rotation can be spread or passed as an array of numbers. */
  *[Symbol.iterator](): Generator<number> {
    for (let index = 0; index < 4; index++) yield this.#get(index);
  }

  get length(): 4 {
    return 4;
  }

  get x(): number {
    return this.#get(0);
  }
  set x(value: number) {
    if (globalThis.FENCEPOST_DEVELOPMENT) this.#checkPart('x', value);
    this.#set(value, this.#get(1), this.#get(2), this.#get(3));
  }
  get y(): number {
    return this.#get(1);
  }
  set y(value: number) {
    if (globalThis.FENCEPOST_DEVELOPMENT) this.#checkPart('y', value);
    this.#set(this.#get(0), value, this.#get(2), this.#get(3));
  }
  get z(): number {
    return this.#get(2);
  }
  set z(value: number) {
    if (globalThis.FENCEPOST_DEVELOPMENT) this.#checkPart('z', value);
    this.#set(this.#get(0), this.#get(1), value, this.#get(3));
  }
  get w(): number {
    return this.#get(3);
  }
  set w(value: number) {
    if (globalThis.FENCEPOST_DEVELOPMENT) this.#checkPart('w', value);
    this.#set(this.#get(0), this.#get(1), this.#get(2), value);
  }

  /**
   * Turns about a local axis (0 x, 1 y, 2 z). The new rotation is q · (sin · axis, cos), normalized so that rounding
   * errors do not add up. Programs call it as often as `set`. V8 inlines at most 460 bytes of bytecode, and this method
   * has almost that many. Without inlining it takes twice as long.
   */
  turn(radians: number, axis: number): void {
    const s = Math.sin(radians * 0.5);
    if (s - s !== 0) throwNotFinite(this.#owner, 'angle', radians);
    const c = Math.cos(radians * 0.5);
    const { floats } = this.#store.data;
    const at = this.#node * TRANSFORM_WORDS + ROTATION_WORD;
    const x = floats[at] as number;
    const y = floats[at + 1] as number;
    const z = floats[at + 2] as number;
    const w = floats[at + 3] as number;
    const length = Math.sqrt(x * x + y * y + z * z + w * w);
    const ks = s / length;
    const kc = c / length;
    if (axis === 1) this.#write(x * kc - z * ks, y * kc + w * ks, z * kc + x * ks, w * kc - y * ks);
    else if (axis === 0) this.#write(x * kc + w * ks, y * kc + z * ks, z * kc - y * ks, w * kc - x * ks);
    else this.#write(x * kc + y * ks, y * kc - x * ks, z * kc + w * ks, w * kc - z * ks);
  }

  #checkPart(part: string, value: number): void {
    if (isBigInt(value)) this.refuse(value, this.y, this.z, this.w);
    warnOfParts(part);
  }

  #set(x: number, y: number, z: number, w: number): void {
    if (!(Math.abs(x) + Math.abs(y) + Math.abs(z) + Math.abs(w) <= MAXIMUM_FLOAT)) this.refuse(x, y, z, w);
    this.#write(x, y, z, w);
  }

  #write(x: number, y: number, z: number, w: number): void {
    const store = this.#store;
    const { floats } = store.data;
    const at = this.#node * TRANSFORM_WORDS + ROTATION_WORD;
    floats[at] = x;
    floats[at + 1] = y;
    floats[at + 2] = z;
    floats[at + 3] = w;
    store.mark(this.#node);
  }

  #get(index: number): number {
    return this.#store.data.floats[this.#node * TRANSFORM_WORDS + ROTATION_WORD + index] as number;
  }

  /** @internal */
  refuse(x: number, y: number, z: number, w: number): never {
    // Numbers whose squares all round to 0 count as 0. `Number` is needed because BigInts can't be multiplied
    // by numbers.
    if ([x, y, z, w].some((part) => Number(part) ** 2 !== 0))
      throwNotFinite(this.#owner, 'rotation', x, y, z, w);
    throwNoRotation(this.#owner, 'rotation');
  }

  /** @internal Updates the view after its owner has entered or left a world, which moves the transform. */
  follow(): void {
    this.#store = this.#owner.store;
    this.#node = this.#owner.node;
  }
}
