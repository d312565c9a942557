/**
 * In development, slips that the scene would take silently, or answer with an error of JavaScript's, are errors that say what to do.
 * They would cost each set something, so pages built for production do without: accessors and methods are wrapped here, once.
 *
 *   actor.visible = 'false' ─► check ─► throws │ the class's own setter
 */
import { messageOf, OptionError, SceneError } from '../../core/errors.js';
import { checkBoolean, checkVector } from '../checks/options.js';
import { Actor } from '../components/actor.js';
import { InstancesComponent } from '../components/instances-component.js';
import { MeshComponent } from '../components/mesh-component.js';
import { SceneComponent } from '../components/scene-component.js';
import { Geometry } from '../geometry/updatable-geometry.js';
import { Material } from '../materials/material.js';
import { QuaternionView, Vector3View } from '../transforms/transform-view.js';
import type { TickCallback } from '../world/tick-groups.js';
import { World } from '../world/world.js';
import { checkMaterialHome, checkTargetHome, checkTextureOf } from './texture-homes.js';

type Class = { readonly prototype: object };
type Named = { readonly name: string; readonly isDestroyed?: boolean };

/** Has a property checked before it is set; one that can't be set has the check throw. */
export function checkWrites<T>(
  { prototype }: Class,
  name: string,
  check: (owner: T, value: unknown) => void,
): void {
  const { get, set } = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
  Object.defineProperty(prototype, name, {
    configurable: true,
    get,
    set(value: unknown) {
      check(this as T, value);
      set?.call(this, value);
    },
  });
}

/** Has a method's arguments checked before it is called. */
export function checkCalls<T>(
  { prototype }: Class,
  name: string,
  check: (owner: T, ...given: unknown[]) => void,
): void {
  const method = Object.getOwnPropertyDescriptor(prototype, name)?.value as (...given: unknown[]) => unknown;
  Object.defineProperty(prototype, name, {
    configurable: true,
    writable: true,
    value(...given: unknown[]) {
      check(this as T, ...given);
      return method.apply(this, given);
    },
  });
}

/** Has a list that is handed out be one that can't be written to: what is written there would be lost. */
function freezeReads({ prototype }: Class, name: string): void {
  const { get, set } = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
  const read = function (this: object): unknown {
    return Object.freeze(get?.call(this));
  };
  Object.defineProperty(prototype, name, { configurable: true, get: read, set });
}

/** Arithmetic throws an error of JavaScript's on a BigInt. To look for one before each set would cost all of them. */
function nameBigInts({ prototype }: typeof Vector3View | typeof QuaternionView): void {
  const { set } = prototype as unknown as { set(...parts: unknown[]): void };
  prototype.set = function (this: QuaternionView, first: unknown, y?: unknown, z?: unknown, w?: unknown) {
    try {
      set.call(this, first, y, z, w);
    } catch (error) {
      const parts = [first, y, z, w].filter((part) => part !== undefined);
      if (!parts.some((part) => typeof part === 'bigint')) throw error;
      this.refuse(...(parts as [number, number, number, number]));
    }
  };
}

const invalid = (message: string): OptionError => new OptionError('option-invalid', message);

function checkAlive({ isDestroyed, name }: Named, what: string): void {
  if (isDestroyed)
    throw new SceneError('component-destroyed', `${what} of "${name}" came after it was destroyed.`);
}

/** What an `async` callback rejects with is reported as what others throw: once until it says something else. */
function reported({ updates }: World, callback: TickCallback): TickCallback {
  let last = '';
  return (...times) => {
    const ended = callback(...times) as Promise<void> | undefined;
    ended?.catch?.((cause: unknown) => {
      const message = messageOf(cause);
      if (message === last) return;
      last = message;
      const text = `An async callback of onTick rejected: ${message} Nothing waits for it: catch what it throws.`;
      updates.reportError(new SceneError('tick-failed', text, { cause }));
    });
  };
}

let isWarned = false;

/** Called once, by `checkInDevelopment`. */
export function checkSceneUse(): void {
  for (const kind of [Actor, SceneComponent]) {
    for (const name of ['position', 'rotation', 'scale', 'motion', 'visible']) {
      checkWrites<Named>(kind, name, (owner, value) => {
        checkAlive(owner, name);
        if (name === 'visible') checkBoolean(owner.name, name, value);
        if (name === 'rotation' && !('x' in Object(value)))
          checkVector(`"${owner.name}"`, name, value as ArrayLike<number>, 4);
      });
    }
    checkCalls<Named>(kind, 'worldFromLocal', (owner, out) => {
      if (out && typeof out === 'object') return;
      throw invalid(
        `worldFromLocal of "${owner.name}" takes the array to write to: worldFromLocal(new Float32Array(16)).`,
      );
    });
  }
  checkCalls<Named>(Actor, 'component', ({ name }, kind) => {
    if (typeof kind === 'function') return;
    throw invalid(`component of "${name}" takes a class of components: actor.component(MeshComponent).`);
  });
  checkCalls<Named>(Actor, 'addEventListener', (owner, type, listener) => {
    checkAlive(owner, 'addEventListener');
    if (typeof listener === 'function') return;
    throw invalid(`addEventListener('${String(type)}') of "${owner.name}" takes a function.`);
  });
  checkWrites<MeshComponent>(MeshComponent, 'geometry', (owner) => checkAlive(owner, 'geometry'));
  checkWrites<MeshComponent>(MeshComponent, 'material', (owner, material) => {
    checkAlive(owner, 'material');
    if (owner.world) checkMaterialHome(owner, material as Material, owner.world);
  });
  checkWrites<MeshComponent>(MeshComponent, 'occluder', (_owner, value) => {
    if (!(value instanceof Geometry)) checkBoolean('the mesh', 'occluder', value);
  });
  checkWrites<Material>(Material, 'doubleSided', (_owner, value) =>
    checkBoolean('material', 'doubleSided', value),
  );
  checkCalls<World>(World, 'spawn', (world, what) => {
    const component = (what instanceof Actor ? what.root : what) as SceneComponent | null;
    if (!component) return;
    checkBoolean(component.name, 'visible', component.visible);
    checkMaterialHome(component, (component as MeshComponent).material, world);
  });
  checkCalls<Material>(Material, 'setTexture', (material, _slot, value) => checkTextureOf(material, value));
  checkCalls<Named>(InstancesComponent, 'touch', (owner) => checkAlive(owner, 'touch'));
  checkWrites<Named>(InstancesComponent, 'count', (owner) => checkAlive(owner, 'count'));
  for (const name of ['positions', 'rotations', 'scales', 'colors']) {
    checkWrites(InstancesComponent, name, () => {
      throw invalid(`${name} of instances is an array to write into: ${name}.set(values), then touch().`);
    });
  }
  for (const name of ['baseColor', 'emissive']) freezeReads(Material, name);
  const { addView, onTick } = World.prototype;
  World.prototype.addView = function (options, openSurface) {
    const note = checkTargetHome(options?.target, this);
    const view = addView.call(this, options, openSurface);
    note?.(view);
    return view;
  };
  World.prototype.onTick = function (callback, options) {
    this.disposed.throwIfAborted();
    return onTick.call(this, typeof callback === 'function' ? reported(this, callback) : callback, options);
  };
  for (const kind of [Vector3View, QuaternionView]) nameBigInts(kind);
  for (const name of ['x', 'y', 'z', 'w']) {
    checkWrites<QuaternionView>(QuaternionView, name, (view, value) => {
      if (typeof value === 'bigint') view.set(value as never, view.y, view.z, view.w);
      if (isWarned) return;
      isWarned = true;
      console.warn(
        `rotation.${name} was set. A rotation is a quaternion, whose x, y, z and w are no angles: rotateX(), rotateY() and rotateZ() turn by radians.`,
      );
    });
  }
}
