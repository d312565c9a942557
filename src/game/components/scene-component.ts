/**
 * Components with a transform in the packed store and a place in the hierarchy (SYSTEMS G1, G2).
 *
 *   created ──spawn──► registered ──destroy──► destroyed
 *   loose store        world's store           loose store      storage of the transform; loose: outside any world
 */
import { OptionError, SceneError } from '../../core/errors.js';
import { checkVector } from '../../core/options/check-value.js';
import { NO_ID } from '../../proxy/commands.js';
import type { Skin } from '../animation/skin.js';
import { checkAlive, checkMatrix, checkRotation, checkVisible } from '../checks/slips.js';
import { changeMotion } from '../motion/motion.js';
import type { Motion, NodeMover } from '../motion/motion-mover.js';
import {
  type Matrix,
  multiply,
  multiplyQuaternions,
  parentFromLocal,
  rotationTowards,
} from '../transforms/transform-math.js';
import type { TransformOptions } from '../transforms/transform-options.js';
import { LOOSE_NODES, type TransformPlace, TransformStore } from '../transforms/transform-store.js';
import {
  numbersOf,
  type QuaternionLike,
  QuaternionView,
  throwNotFinite,
  Vector3View,
  type VectorLike,
} from '../transforms/transform-view.js';
import { DirtyFlag, type SceneUpdates } from '../updates/scene-updates.js';
import type { World } from '../world/world.js';
import { ActorComponent } from './actor-component.js';

type Quaternion = [number, number, number, number];

const IDENTITY = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1];

/**
 * Storage for transforms outside of any world. Each new component takes the next node of this store, because a store
 * per component would cost more than the component. A full store is replaced; its components keep the old one alive.
 */
let looseStore = /* @__PURE__ */ new TransformStore(0);
let looseNodes = 0;

/** Takes the next node of `looseStore`, and replaces a full store. @returns the node */
function takeLooseNode(): number {
  if (looseNodes === LOOSE_NODES) {
    looseStore = new TransformStore(0);
    looseNodes = 0;
  }
  return looseNodes++;
}

/** A target of `attachTo`: a component, or an object with a root component. */
export type AttachTarget = SceneComponent | { readonly root: SceneComponent };

/** Throws `attachment-other-world` unless the parent is in `world`. */
export function checkSameWorld(child: SceneComponent, parent: SceneComponent, world: World | null): void {
  if (parent.world === world) return;
  throw new SceneError(
    'attachment-other-world',
    `"${child.name}" can't be attached to "${parent.name}": they are not in the same world. Spawn both first.`,
  );
}

export class SceneComponent extends ActorComponent {
  /** @internal The storage of the transform: a loose store, the world's store, or a mover or pose that wraps it. */
  store: TransformPlace;
  /** @internal */
  node: number;
  /** @internal Applies the declared motion; `null` without a motion. */
  mover: NodeMover | null = null;
  /** @internal Skins that have this component as a joint and refer to its node. */
  skins: Set<Skin> | null = null;
  readonly #position: Vector3View;
  readonly #rotation: QuaternionView;
  /**
   * Created on first use, because it is rarely needed. Without it, ten thousand moving components lie closer
   * together in memory.
   */
  #scale: Vector3View | null = null;
  /** @internal Bits of `DirtyFlag`. */
  dirtyFlags = 0;
  /** @internal The world's updates while registered. */
  updates: SceneUpdates | null = null;
  /** @internal True once `createNode` was written. */
  isNodeSent = false;
  /** @internal Name from the options, for the actor created from this component. */
  readonly givenName: string;
  #parent: SceneComponent | null = null;
  #children: Set<SceneComponent> | null = null;
  #isVisible: boolean;

  constructor(options: TransformOptions = {}) {
    super();
    this.node = takeLooseNode();
    this.store = looseStore;
    looseStore.data.write(this.node, IDENTITY);
    this.#position = new Vector3View(this, 'position');
    this.#rotation = new QuaternionView(this);
    this.givenName = options.name ?? '';
    this.#isVisible = options.visible ?? true;
    const { position, rotation, scale } = options;
    // Errors in these calls use the name that the actor will have.
    if (position) this.#position.set(...checkVector(this.#label, 'position', position, 3));
    if (rotation) this.#rotation.set(...checkVector(this.#label, 'rotation', rotation, 4));
    if (typeof scale === 'number') this.scale.set(scale, scale, scale);
    else if (scale) this.scale.set(...checkVector(this.#label, 'scale', scale, 3));
  }

  override get name(): string {
    return this.actor ? this.actor.name : this.#label;
  }

  get #label(): string {
    return this.givenName || this.kind;
  }

  override get kind(): string {
    return 'scene component';
  }

  /**
   * Metres, relative to the parent. Write it with `set`, by axis, or by assigning an array or an object with
   * x, y and z.
   */
  get position(): Vector3View {
    return this.#position;
  }
  set position(value: VectorLike) {
    if (globalThis.FENCEPOST_DEVELOPMENT) checkAlive(this, 'position');
    this.position.set(value);
  }
  /** Rotation relative to the parent. */
  get rotation(): QuaternionView {
    return this.#rotation;
  }
  set rotation(value: QuaternionLike) {
    if (globalThis.FENCEPOST_DEVELOPMENT) checkRotation(this, value);
    this.rotation.set(value);
  }
  /** Factors along the local axes; a single number sets all three. */
  get scale(): Vector3View {
    this.#scale ??= new Vector3View(this, 'scale');
    return this.#scale;
  }
  set scale(value: VectorLike | number) {
    if (globalThis.FENCEPOST_DEVELOPMENT) checkAlive(this, 'scale');
    if (typeof value === 'number') this.scale.set(value, value, value);
    else this.scale.set(value);
  }

  /** Turns about the local X axis. */
  rotateX(radians: number): void {
    this.#rotation.turn(radians, 0);
  }
  /** Turns about the local Y axis. */
  rotateY(radians: number): void {
    this.#rotation.turn(radians, 1);
  }
  /** Turns about the local Z axis. */
  rotateZ(radians: number): void {
    this.#rotation.turn(radians, 2);
  }

  /**
   * The declared motion, created by `spin()`, `orbit()` or `keyframes()`, which continues even while the page is busy.
   * Default `null`: none. The motion starts with the next frame, from the current transform. Position, rotation and
   * scale return the moved values. Setting `null` ends the motion, and the component stays where it is.
   */
  get motion(): Motion | null {
    return this.mover?.motion ?? null;
  }
  set motion(motion: Motion | null) {
    if (globalThis.FENCEPOST_DEVELOPMENT) checkAlive(this, 'motion');
    changeMotion(this, motion);
  }

  /** True when `lookAt` points −Z at the target (cameras, lights) rather than +Z, the front of a glTF model. */
  get looksAlongMinusZ(): boolean {
    return false;
  }

  lookAt(x: number, y: number, z: number): void;
  lookAt(target: VectorLike): void;
  /**
   * Turns towards a point of the world, with +Y as close to the world's up as possible. Does nothing if the
   * component is at that point.
   */
  lookAt(...target: readonly unknown[]): void {
    const [first] = target;
    const [x, y, z] = numbersOf(typeof first === 'object' && first ? first : target, 3) as [
      number,
      number,
      number,
    ];
    if (![x, y, z].every(Number.isFinite)) throwNotFinite(this, 'target of lookAt', x, y, z);
    const matrix = this.worldFromLocal([]);
    this.turnTowards(x - (matrix[12] ?? 0), y - (matrix[13] ?? 0), z - (matrix[14] ?? 0));
  }

  /** @internal Turns towards a direction in the world. */
  turnTowards(x: number, y: number, z: number): void {
    const sign = this.looksAlongMinusZ ? -1 : 1;
    if (x === 0 && y === 0 && z === 0) return;
    let parentRotation: readonly number[] = [0, 0, 0, 1];
    for (let up = this.#parent; up; up = up.#parent) {
      const { x: ux, y: uy, z: uz, w: uw } = up.rotation;
      parentRotation = multiplyQuaternions([ux, uy, uz, uw], parentRotation);
    }
    const [px, py, pz, pw] = parentRotation as Quaternion;
    const worldRotation = rotationTowards(x * sign, y * sign, z * sign);
    this.#rotation.set(...(multiplyQuaternions([-px, -py, -pz, pw], worldRotation) as Quaternion));
  }

  /**
   * Computes the world transform from this component's and its ancestors' transforms; nothing is cached.
   * @param out 16 numbers, column-major. A `Float32Array` rounds the position to 3 cm at 500 km
   * @returns `out`
   */
  worldFromLocal<T extends Matrix>(out: T): T {
    if (globalThis.FENCEPOST_DEVELOPMENT) checkMatrix(this, out);
    parentFromLocal(out, this.store.data, this.node);
    const step: number[] = [];
    for (let up = this.#parent; up; up = up.#parent) {
      parentFromLocal(step, up.store.data, up.node);
      multiply(out, step, out);
    }
    return out;
  }

  /** Returns an unattached copy with the current local transform. A declared motion starts again from there. */
  override clone(): this {
    const copy = super.clone();
    copy.position = this.position;
    copy.rotation = this.rotation;
    copy.scale = this.scale;
    copy.visible = this.visible;
    copy.motion = this.motion;
    return copy;
  }

  get parent(): SceneComponent | null {
    return this.#parent;
  }
  /** The components attached to this one. */
  get children(): ReadonlySet<SceneComponent> {
    this.#children ??= new Set();
    return this.#children;
  }

  /**
   * Attaches the component to `target`, or detaches it for `null`. Its transform keeps its numbers, and becomes
   * relative to the target's transform or to the world.
   * Throws `attachment-cycle`, `attachment-other-world`, `component-destroyed` or `option-invalid`.
   */
  attachTo(target: AttachTarget | null): void {
    const parent = (target as Exclude<AttachTarget, SceneComponent> | null)?.root ?? target;
    if (parent !== null && !(parent instanceof SceneComponent)) {
      throw new OptionError('option-invalid', 'attachTo takes an actor, a component or null.');
    }
    if (parent === this.#parent) return;
    if (this.isDestroyed || parent?.isDestroyed) {
      throw new SceneError(
        'component-destroyed',
        `"${this.name}" can't be attached to "${parent?.name}": one of them is destroyed.`,
      );
    }
    if (parent) checkSameWorld(this, parent, this.world);
    // Only a component with children can close a cycle, so attaching a leaf does not search the parent's ancestors.
    let up = this.#children?.size || parent === this ? parent : null;
    for (; up; up = up.#parent) {
      if (up === this) {
        throw new SceneError(
          'attachment-cycle',
          `"${this.name}" can't be attached to "${parent?.name}", which is attached to it. Detach one first.`,
        );
      }
    }
    if (this.#parent) this.#parent.#children?.delete(this);
    this.#parent = parent;
    if (parent) {
      parent.#children ??= new Set();
      parent.#children.add(this);
    }
    this.updates?.flag(this, DirtyFlag.attachment);
    this.#flagVisibility();
  }

  /**
   * Whether the component and everything attached to it are shown. `isShown` also takes all ancestors into
   * account.
   */
  get visible(): boolean {
    return this.#isVisible;
  }
  set visible(value: boolean) {
    if (globalThis.FENCEPOST_DEVELOPMENT) checkVisible(this, value);
    if (this.#isVisible === value) return;
    this.#isVisible = value;
    this.#flagVisibility();
  }
  get isShown(): boolean {
    for (let up: SceneComponent | null = this; up; up = up.#parent) if (!up.#isVisible) return false;
    return true;
  }

  #flagVisibility(): void {
    for (const each of this.withAttached()) each.updates?.flag(each, DirtyFlag.dynamicData);
  }

  /**
   * @internal Returns the component and all of its descendants, parents first. Uses a loop, because chains
   * may be thousands deep.
   */
  withAttached(): SceneComponent[] {
    const all: SceneComponent[] = [this];
    for (const each of all) for (const child of each.#children ?? []) all.push(child);
    return all;
  }

  /** @internal Id of the parent's node; NO_ID without a parent, or if the render side does not have the node. */
  get sentParentNode(): number {
    return this.#parent?.isNodeSent ? this.#parent.node : NO_ID;
  }

  override register(world: World): void {
    super.register(world);
    this.updates = world.updates;
    const { store, node } = this;
    this.moveTo(world.updates.transforms, world.updates.transforms.allocate());
    // A component is often spawned before the next one is created. The next one then takes this loose node.
    if (store === looseStore && node === looseNodes - 1) looseNodes--;
    this.mover?.enter(this.updates);
    this.updates.flag(this, DirtyFlag.renderState);
  }

  override unregister(): void {
    super.unregister();
    this.mover?.leave();
    const { updates, store, node } = this;
    if (!updates) return;
    const loose = takeLooseNode();
    this.moveTo(looseStore, loose);
    this.removeProxy(updates);
    if (this.isNodeSent) updates.destroyedNodes.push(node);
    else store.free(node);
    this.isNodeSent = false;
    this.updates = null;
    updates.onChange();
  }

  /** Destroys the component and its descendants. An actor is destroyed if its root is among them. */
  override destroy(): void {
    if (this.isDestroyed) return;
    for (const each of this.withAttached().reverse()) {
      if (each !== this) (each.actor?.root === each ? each.actor : each).destroy();
    }
    for (const skin of this.skins ?? []) skin.loseJoint(this);
    this.skins = null;
    this.attachTo(null);
    super.destroy();
  }

  /** @internal For `DirtyFlag.renderState`: creates or replaces the proxy from a copy of all its render data (G3). */
  sendProxy(_updates: SceneUpdates): void {}
  /** @internal For `DirtyFlag.dynamicData`: sends the parameters of a proxy that can change. */
  sendDynamicData(_updates: SceneUpdates): void {}
  /** @internal Queues the destruction of the proxy, if it was sent. */
  removeProxy(_updates: SceneUpdates): void {}

  /** @internal Moves the transform's numbers to a node of another store. */
  moveTo(store: TransformPlace, node: number): void {
    store.data.copy(node, this.store.data, this.node);
    this.store = store;
    this.node = node;
    this.#position.follow();
    this.#rotation.follow();
    this.#scale?.follow();
    store.mark(node);
  }
}
