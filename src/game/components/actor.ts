/**
 * An actor is a named object in a world. It owns components. One of them, the root, has the actor's transform. Other
 * actors can be attached to an actor. They move, hide and are destroyed with it.
 */
import { OptionError, SceneError } from '../../core/errors.js';
import { checkVector } from '../../core/options/check-value.js';
import {
  checkAlive,
  checkComponentClass,
  checkListener,
  checkMatrix,
  checkRotation,
  checkVisible,
} from '../checks/slips.js';
import { LightComponent } from '../lights/light-component.js';
import type { Material } from '../materials/material.js';
import type { Motion } from '../motion/motion-mover.js';
import { localPoint } from '../transforms/inverse-rows.js';
import type { Matrix } from '../transforms/transform-math.js';
import type { TransformOptions } from '../transforms/transform-options.js';
import type {
  QuaternionLike,
  QuaternionView,
  Vector3View,
  VectorLike,
} from '../transforms/transform-view.js';
import type { Level } from '../world/level.js';
import type { World } from '../world/world.js';
import { ActorComponent } from './actor-component.js';
import {
  type ActorEventType,
  type ActorListener,
  type ActorListenerOptions,
  type ActorListeners,
  addActorListener,
} from './actor-events.js';
import { type Bounds, boundsOf } from './bounds.js';
import { CameraComponent } from './camera-component.js';
import { cloneActor } from './clone-actor.js';
import { MeshComponent } from './mesh-component.js';
import { type AttachTarget, checkSameWorld, SceneComponent } from './scene-component.js';

export class Actor<Root extends SceneComponent = SceneComponent> {
  /** The component with the actor's transform, as passed to the constructor. */
  readonly root: Root;
  readonly #position: Vector3View;
  readonly #rotation: QuaternionView;
  /** The world in which the actor was spawned; `null` before that and after its destruction. */
  world: World | null = null;
  /** The level to which the actor belongs. */
  level: Level | null = null;
  isDestroyed = false;
  #name: string;
  /** @internal Pointer listeners; `null` until the first is added. */
  listeners: ActorListeners | null = null;
  readonly #components: ActorComponent[];

  /** @param root the component with the actor's transform; default: a plain SceneComponent */
  constructor(root: Root = new SceneComponent() as Root, name?: string) {
    checkKind(root, SceneComponent);
    this.#name = name ?? root.givenName;
    this.root = root;
    this.#position = root.position;
    this.#rotation = root.rotation;
    this.#components = [this.#own(root)];
  }

  /** Name in messages and tools; the root's kind by default. */
  get name(): string {
    return this.#name || this.root.kind;
  }
  set name(value: string) {
    this.#name = value;
  }

  get components(): readonly ActorComponent[] {
    return this.#components;
  }

  /**
   * Adds a listener for pointer events on the actor, and on actors attached to it.
   * @throws OptionError `option-invalid`, `option-unknown`
   * @example door.addEventListener('click', ({ hit }) => console.log(hit.position));
   */
  addEventListener<Type extends ActorEventType>(
    type: Type,
    listener: ActorListener<Type>,
    options: ActorListenerOptions = {},
  ): void {
    // The map of listeners does not know which events a listener gets.
    const anyListener = listener as ActorListener;
    if (globalThis.FENCEPOST_DEVELOPMENT) checkListener(this, type, anyListener);
    this.listeners ??= new Map();
    addActorListener(this.listeners, type, anyListener, options);
    this.world?.watchPointer(this);
  }

  removeEventListener<Type extends ActorEventType>(type: Type, listener: ActorListener<Type>): void {
    this.listeners?.get(type)?.delete(listener as ActorListener);
  }

  /** The actor's first mesh, most often its root; `null` if it has none. */
  get mesh(): MeshComponent | null {
    return this.component(MeshComponent);
  }
  /** The actor's first light; `null` if it has none. */
  get light(): LightComponent | null {
    return this.component(LightComponent);
  }
  /** The actor's first camera; `null` if it has none. */
  get camera(): CameraComponent | null {
    return this.component(CameraComponent);
  }

  /**
   * Makes the materials of the actor's meshes its own: replaces materials that other actors may share by clones. A
   * material that is already the actor's own stays. Actors that are attached to this actor keep their materials. A
   * change of `level.variant` replaces them again.
   * @returns the material of the first mesh
   * @throws SceneError `mesh-missing` if the actor has no mesh
   * @example level.find('door').ownMaterial().baseColor = '#a33';
   */
  ownMaterial(): Material {
    const { mesh } = this;
    if (!mesh) {
      const text = `"${this.name}" has no mesh, so it has no material. Call ownMaterial() of an actor that has one.`;
      throw new SceneError('mesh-missing', text);
    }
    const clones = new Map<Material, Material>();
    for (const each of this.#components) if (each instanceof MeshComponent) each.takeMaterial(clones);
    return mesh.material;
  }

  /**
   * The box around the meshes and billboards of the actor and of all actors attached to it, in metres.
   * It is computed at each read.
   */
  get bounds(): Bounds {
    return boundsOf(this.root.withAttached());
  }

  /** Returns the first component of a class, or `null`. */
  component<T extends ActorComponent>(kind: abstract new (...parameters: never[]) => T): T | null {
    if (globalThis.FENCEPOST_DEVELOPMENT) checkComponentClass(this, kind);
    return (this.#components.find((component) => component instanceof kind) as T | undefined) ?? null;
  }

  /**
   * Adds a component. A component with a transform is attached to the root unless it is attached already.
   * Throws `component-already-registered`, `component-destroyed` or `actor-destroyed`.
   */
  addComponent<T extends ActorComponent>(component: T): T {
    this.#checkAlive();
    checkKind(component, ActorComponent);
    this.#components.push(this.#own(component));
    if (this.world) component.register(this.world);
    if (component instanceof SceneComponent && !component.parent) component.attachTo(this.root);
    return component;
  }

  #own<T extends ActorComponent>(component: T): T {
    if (component.isDestroyed) {
      throw new SceneError(
        'component-destroyed',
        `The ${component.kind} added to "${this.name}" is destroyed. Create a new one.`,
      );
    }
    if (component.actor) {
      throw new SceneError(
        'component-already-registered',
        `The ${component.kind} added to "${this.name}" belongs to "${component.actor.name}" already. Create a new one.`,
      );
    }
    component.actor = this;
    return component;
  }

  /** @internal Removes a component that is being destroyed. If it is the root, the actor is destroyed too. */
  removeComponent(component: ActorComponent): void {
    // The search begins at the end, because attached components are destroyed from last to first.
    const index = this.#components.lastIndexOf(component);
    if (index >= 0) this.#components.splice(index, 1);
    if ((component as ActorComponent) === this.root) this.destroy();
  }

  /**
   * Position of the root: metres, relative to the parent. Write it with `set`, by axis, or by assigning an
   * array or an object with x, y and z.
   */
  get position(): Vector3View {
    return this.#position;
  }
  set position(value: VectorLike) {
    if (globalThis.FENCEPOST_DEVELOPMENT) checkAlive(this, 'position');
    this.position.set(value);
  }
  /** Rotation of the root, relative to the parent. */
  get rotation(): QuaternionView {
    return this.#rotation;
  }
  set rotation(value: QuaternionLike) {
    if (globalThis.FENCEPOST_DEVELOPMENT) checkRotation(this, value);
    this.rotation.set(value);
  }
  /** Scale of the root: factors along its axes. */
  get scale(): Vector3View {
    return this.root.scale;
  }
  set scale(value: VectorLike | number) {
    if (globalThis.FENCEPOST_DEVELOPMENT) checkAlive(this, 'scale');
    this.root.scale = value;
  }
  /** See `SceneComponent.motion`. @example actor.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 1 }); */
  get motion(): Motion | null {
    return this.root.motion;
  }
  set motion(motion: Motion | null) {
    if (globalThis.FENCEPOST_DEVELOPMENT) checkAlive(this, 'motion');
    this.root.motion = motion;
  }
  rotateX(radians: number): void {
    this.#rotation.turn(radians, 0);
  }
  rotateY(radians: number): void {
    this.#rotation.turn(radians, 1);
  }
  rotateZ(radians: number): void {
    this.#rotation.turn(radians, 2);
  }
  lookAt(x: number, y: number, z: number): void;
  lookAt(target: VectorLike): void;
  /** See `SceneComponent.lookAt`. */
  lookAt(...target: readonly unknown[]): void {
    this.root.lookAt(...(target as [VectorLike]));
  }
  get visible(): boolean {
    return this.root.visible;
  }
  set visible(value: boolean) {
    if (globalThis.FENCEPOST_DEVELOPMENT) checkVisible(this, value);
    this.root.visible = value;
  }
  attachTo(target: AttachTarget | null): void {
    this.root.attachTo(target);
  }
  /** See `SceneComponent.worldFromLocal`. */
  worldFromLocal<T extends Matrix>(out: T): T {
    if (globalThis.FENCEPOST_DEVELOPMENT) checkMatrix(this, out);
    return this.root.worldFromLocal(out);
  }
  /**
   * Returns a point of the world in the actor's own space: the space of its children, and of the option `offset` of
   * `attachElement`. If a scale of 0 flattens the actor, the result is the origin.
   * @param point metres, world space
   * @throws OptionError `option-invalid`
   * @example engine.attachElement(label, door, { offset: door.localFromWorld(hit.position) });
   */
  localFromWorld(point: VectorLike): [number, number, number] {
    return localPoint(this.root.worldFromLocal([]), checkVector('localFromWorld', 'point', point, 3));
  }
  /** The position in the world: x, y, z in metres. It is computed at each read. */
  get worldPosition(): [number, number, number] {
    const matrix = this.root.worldFromLocal([]);
    return [matrix[12] as number, matrix[13] as number, matrix[14] as number];
  }

  /**
   * Returns a copy of this actor in its current state, with copies of its components and of all actors
   * attached to it. The copy is in the same level and has the same parent. Geometries, materials and clips
   * are shared. Listeners and callbacks are not copied, and a copied camera does not become the active one.
   * @param options properties in which the copy differs from the original
   * @throws SceneError `actor-not-spawned`; OptionError
   * @example const second = lamp.clone({ position: [2, 0, 0] });
   */
  clone(options: TransformOptions = {}): Actor<Root> {
    return cloneActor(this, options);
  }

  /** Removes the actor from its world, with its components and every actor attached to it. */
  destroy(): void {
    if (this.isDestroyed) return;
    this.isDestroyed = true;
    this.root.destroy();
    for (const component of [...this.#components]) component.destroy();
    this.world?.removeActor(this);
    this.world = null;
  }

  /** @internal */
  spawnIn(world: World, level: Level): void {
    this.#checkAlive();
    if (this.world) {
      throw new SceneError(
        'actor-already-spawned',
        `"${this.name}" is in a world already. Create a new actor.`,
      );
    }
    const { root } = this;
    if (root.parent) checkSameWorld(root, root.parent, world);
    this.world = world;
    this.level = level;
    for (const component of this.#components) component.register(world);
    if (this.listeners) world.watchPointer(this);
  }

  #checkAlive(): void {
    if (this.isDestroyed) {
      throw new SceneError('actor-destroyed', `"${this.name}" is destroyed. Create a new actor.`);
    }
  }
}

function checkKind(component: unknown, kind: typeof ActorComponent | typeof SceneComponent): void {
  if (component instanceof kind) return;
  throw new OptionError(
    'option-invalid',
    'An actor consists of components, and its root needs a transform: new SceneComponent().',
  );
}
