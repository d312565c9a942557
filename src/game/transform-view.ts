/**
 * What `actor.position`, `.rotation` and `.scale` are: windows on the packed transforms, made once per
 * component and only when asked for. Reading and writing goes straight to the store; a write marks the node
 * as changed. A value that is not finite, or too large for a 32-bit float, throws at the call.
 */
import { SceneError } from '../core/errors.js';
import { TRANSFORM_FLOATS, type TransformStore } from './transform-store.js';

/** Where a transform lies: a store and a node in it; both change when its owner enters or leaves a world. */
export interface TransformOwner {
  readonly store: TransformStore;
  readonly node: number;
  /** For messages. */
  readonly name: string;
}

/** Largest magnitude of a 32-bit float. */
export const MAXIMUM_FLOAT = 3.4028234663852886e38;

export function throwNotFinite(owner: TransformOwner, what: string, ...values: number[]): never {
  throw new SceneError(
    'transform-not-finite',
    `The ${what} of "${owner.name}" can't be set to (${values.join(', ')}): every number has to be finite. ` +
      'Look for a division by zero or an unset variable in what computes it.',
  );
}

/** Three numbers of a transform: position in metres, or scale as factors. */
export class Vector3View {
  readonly #owner: TransformOwner;
  readonly #offset: number;

  /** @internal `offset` is 0 (position) or 7 (scale), in floats */
  constructor(owner: TransformOwner, offset: number) {
    this.#owner = owner;
    this.#offset = offset;
  }

  /** Per set. */
  set(x: number, y: number, z: number): void {
    const owner = this.#owner;
    if (!(Math.abs(x) + Math.abs(y) + Math.abs(z) <= MAXIMUM_FLOAT)) {
      throwNotFinite(owner, this.#offset ? 'scale' : 'position', x, y, z);
    }
    const { store, node } = owner;
    const data = store.data;
    const at = node * TRANSFORM_FLOATS + this.#offset;
    data[at] = x;
    data[at + 1] = y;
    data[at + 2] = z;
    store.mark(node);
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
    return this.#owner.store.data[this.#owner.node * TRANSFORM_FLOATS + this.#offset + index] as number;
  }
}

/** A rotation as a unit quaternion. `set` makes it one of length 1; `.x .y .z .w` are written as they are. */
export class QuaternionView {
  readonly #owner: TransformOwner;

  /** @internal */
  constructor(owner: TransformOwner) {
    this.#owner = owner;
  }

  /** Per set. Throws `rotation-zero` for a quaternion of length 0. */
  set(x: number, y: number, z: number, w: number): void {
    const lengthSquared = x * x + y * y + z * z + w * w;
    if (lengthSquared === 0) {
      throw new SceneError(
        'rotation-zero',
        `The rotation of "${this.#owner.name}" can't be (0, 0, 0, 0): that is no rotation. None at all is (0, 0, 0, 1).`,
      );
    }
    const factor = 1 / Math.sqrt(lengthSquared);
    if (!(factor > 0)) throwNotFinite(this.#owner, 'rotation', x, y, z, w);
    this.#write(x * factor, y * factor, z * factor, w * factor);
  }

  get x(): number {
    return this.#get(0);
  }
  set x(value: number) {
    this.#write(value, this.#get(1), this.#get(2), this.#get(3));
  }
  get y(): number {
    return this.#get(1);
  }
  set y(value: number) {
    this.#write(this.#get(0), value, this.#get(2), this.#get(3));
  }
  get z(): number {
    return this.#get(2);
  }
  set z(value: number) {
    this.#write(this.#get(0), this.#get(1), value, this.#get(3));
  }
  get w(): number {
    return this.#get(3);
  }
  set w(value: number) {
    this.#write(this.#get(0), this.#get(1), this.#get(2), value);
  }

  #write(x: number, y: number, z: number, w: number): void {
    const owner = this.#owner;
    if (!(Math.abs(x) + Math.abs(y) + Math.abs(z) + Math.abs(w) <= MAXIMUM_FLOAT)) {
      throwNotFinite(owner, 'rotation', x, y, z, w);
    }
    const { store, node } = owner;
    const data = store.data;
    const at = node * TRANSFORM_FLOATS + 3;
    data[at] = x;
    data[at + 1] = y;
    data[at + 2] = z;
    data[at + 3] = w;
    store.mark(node);
  }

  #get(index: number): number {
    return this.#owner.store.data[this.#owner.node * TRANSFORM_FLOATS + 3 + index] as number;
  }
}
