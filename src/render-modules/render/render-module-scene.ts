import { OptionError, SceneError } from '../../core/errors.js';
import { multiply, parentFromLocal } from '../../game/transforms/transform-math.js';
import { MaterialOffset } from '../../proxy/materials/material-layout.js';
import { ROTATION } from '../../proxy/motion/motion.js';
import { type Numbers, TRANSFORM_NUMBERS } from '../../proxy/transform-array.js';
import type { Scene } from '../../render/scene/scene.js';
import type { RenderMaterialParameters, RenderScene } from '../render-module-api.js';

/**
 * The render thread's scene for render modules. All calls are checked, and only allowed while the render thread runs
 * code of a module, such as a handler or callback (SYSTEMS R10). At other times the scene may be a mix of two frames.
 * In `single` mode, the game's own code could also access the render thread's data.
 *
 * World transforms are computed from local transforms on demand, because the stored ones belong to the last frame.
 */
export class ModuleScene implements RenderScene {
  readonly #scene: Scene;
  readonly #check: (call: string) => void;
  readonly #transform = new Float64Array(TRANSFORM_NUMBERS);

  /** @param check throws unless the call is allowed now; it receives the call's name for the message */
  constructor(scene: Scene, check: (call: string) => void) {
    this.#scene = scene;
    this.#check = check;
  }

  has(actor: number): boolean {
    this.#check('scene.has()');
    return this.#scene.nodes.has(actor);
  }

  worldTransform(actor: number, out = new Float64Array(16)): Float64Array {
    this.#require('scene.worldTransform()', actor);
    const { local, parent } = this.#scene.nodes;
    parentFromLocal(out, local, actor);
    for (let above = parent[actor] as number; above >= 0; above = parent[above] as number) {
      parentFromLocal(step, local, above);
      multiply(out, step, out);
    }
    return out;
  }

  localTransform(actor: number): Float64Array;
  localTransform<T extends Numbers>(actor: number, out: T): T;
  localTransform(actor: number, out: Numbers = new Float64Array(TRANSFORM_NUMBERS)): Numbers {
    const transform = this.#change('scene.localTransform()', actor);
    out.set(transform);
    return out;
  }

  setLocalTransform(actor: number, transform: ArrayLike<number>): void {
    const call = 'scene.setLocalTransform()';
    const next = this.#change(call, actor);
    for (let index = 0; index < TRANSFORM_NUMBERS; index++) next[index] = transform[index] as number;
    this.#write(call, actor);
  }

  setPosition(actor: number, x: number, y: number, z: number): void {
    const call = 'scene.setPosition()';
    const next = this.#change(call, actor);
    next[0] = x;
    next[1] = y;
    next[2] = z;
    this.#write(call, actor);
  }

  setRotation(actor: number, x: number, y: number, z: number, w: number): void {
    const call = 'scene.setRotation()';
    const next = this.#change(call, actor);
    next[ROTATION] = x;
    next[ROTATION + 1] = y;
    next[ROTATION + 2] = z;
    next[ROTATION + 3] = w;
    this.#write(call, actor);
  }

  setMaterial(actor: number, parameters: RenderMaterialParameters): void {
    this.#require('scene.setMaterial()', actor);
    const { primitives, materials } = this.#scene;
    const primitive = primitives.firstOnNode[actor] ?? -1;
    const material = primitive < 0 ? -1 : (primitives.material[primitive] as number);
    if (!materials.has(material)) {
      throw new SceneError(
        'unknown-material',
        `Actor ${actor} has no material on the render thread. Give it a mesh before you send commands for it.`,
      );
    }
    const { floats, dirty, slotWords } = materials.storage;
    const entries = Object.entries(parameters) as [
      keyof RenderMaterialParameters,
      number | readonly number[],
    ][];
    // Check all parameters before writing the first.
    for (const [name, value] of entries) {
      const numbers = typeof value === 'number' ? [value] : (value ?? []);
      if (PARAMETERS[name]?.count === numbers.length && numbers.every(Number.isFinite)) continue;
      throw new OptionError(
        'option-invalid',
        `scene.setMaterial() can't set "${name}" to ${JSON.stringify(value)}. It takes baseColor (4 numbers), emissive (3), metallic and roughness (1).`,
      );
    }
    for (const [name, value] of entries) {
      const at = material * slotWords + PARAMETERS[name].offset;
      if (typeof value === 'number') floats[at] = value;
      else floats.set(value, at);
    }
    dirty.mark(material);
  }

  /** Copies the actor's transform to `#transform`, to be changed and passed to `#write`. */
  #change(call: string, actor: number): Float64Array {
    this.#require(call, actor);
    this.#scene.nodes.local.read(actor, this.#transform);
    return this.#transform;
  }

  #write(call: string, actor: number): void {
    const transform = this.#transform;
    for (let index = 0; index < TRANSFORM_NUMBERS; index++) {
      if (Number.isFinite(Math.fround(transform[index] as number))) continue;
      throw new OptionError(
        'option-invalid',
        `${call} was given a number that is missing, not finite, or beyond ±3.4e38 for actor ${actor}.`,
      );
    }
    this.#scene.nodes.setLocal(actor, transform);
  }

  #require(call: string, actor: number): void {
    this.#check(call);
    if (this.#scene.nodes.has(actor)) return;
    throw new SceneError(
      'unknown-node',
      `${call}: there is no actor ${actor} on the render thread. Send the module the number that RenderModule.idOf() returns, and let it drop the numbers of destroyed actors.`,
    );
  }
}

const PARAMETERS: Readonly<
  Record<keyof RenderMaterialParameters, { readonly offset: number; readonly count: number }>
> = {
  baseColor: { offset: MaterialOffset.baseColor, count: 4 },
  emissive: { offset: MaterialOffset.emissive, count: 3 },
  metallic: { offset: MaterialOffset.metallic, count: 1 },
  roughness: { offset: MaterialOffset.roughness, count: 1 },
};

const step = /* @__PURE__ */ new Float64Array(16);
