import { OptionError, SceneError } from '../core/errors.js';
import { MaterialOffset } from '../proxy/material-layout.js';
import type { Scene } from '../render/scene.js';
import type { RenderMaterialParameters, RenderScene } from './render-module-api.js';

/**
 * The render thread's scene as render modules may use it: by actor, checked, and only while the thread is in one of
 * their handlers or callbacks (SYSTEMS R10). At any other time the scene may be between two frames; in `single` mode it
 * would be the game that touches what is the render thread's.
 *
 * World transforms are found from the local ones on demand: those kept for drawing are as old as the last frame.
 */
const TRANSFORM_FLOATS = 10;
const ROTATION = 3;

export class ModuleScene implements RenderScene {
  readonly #scene: Scene;
  readonly #check: (call: string) => void;
  readonly #node = new Uint32Array(1);
  readonly #transform = new Float32Array(TRANSFORM_FLOATS);

  /** @param check throws unless the call, named for messages, may be made now */
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
    writeMatrix(out, local, actor * TRANSFORM_FLOATS);
    for (let above = parent[actor] as number; above >= 0; above = parent[above] as number) {
      writeMatrix(step, local, above * TRANSFORM_FLOATS);
      multiplyInto(out, step);
    }
    return out;
  }

  localTransform(actor: number, out = new Float32Array(TRANSFORM_FLOATS)): Float32Array {
    this.#require('scene.localTransform()', actor);
    const at = actor * TRANSFORM_FLOATS;
    for (let index = 0; index < TRANSFORM_FLOATS; index++)
      out[index] = this.#scene.nodes.local[at + index] as number;
    return out;
  }

  setLocalTransform(actor: number, transform: ArrayLike<number>): void {
    this.#require('scene.setLocalTransform()', actor);
    this.#write('scene.setLocalTransform()', actor, transform, 0, TRANSFORM_FLOATS);
  }

  setPosition(actor: number, x: number, y: number, z: number): void {
    this.#require('scene.setPosition()', actor);
    this.#write('scene.setPosition()', actor, [x, y, z], 0, 3);
  }

  setRotation(actor: number, x: number, y: number, z: number, w: number): void {
    this.#require('scene.setRotation()', actor);
    this.#write('scene.setRotation()', actor, [x, y, z, w], ROTATION, 4);
  }

  setMaterial(actor: number, parameters: RenderMaterialParameters): void {
    this.#require('scene.setMaterial()', actor);
    const { primitives, materials } = this.#scene;
    const primitive = primitives.firstOnNode[actor] ?? -1;
    const material = primitive < 0 ? -1 : (primitives.material[primitive] as number);
    if (!materials.has(material)) {
      throw new SceneError(
        'unknown-material',
        `Actor ${actor} shows no material on the render thread. Give it a mesh, and send commands for it later than that.`,
      );
    }
    const { floats, dirty, slotWords } = materials.storage;
    for (const [name, value] of Object.entries(parameters)) {
      const place = PARAMETERS[name as keyof RenderMaterialParameters];
      const numbers: readonly number[] = typeof value === 'number' ? [value] : value;
      if (place?.count !== numbers?.length || !numbers.every(Number.isFinite)) {
        throw new OptionError(
          'option-invalid',
          `scene.setMaterial() can't set "${name}" to ${JSON.stringify(value)}. It takes baseColor (4 numbers), emissive (3), metallic and roughness (1).`,
        );
      }
      floats.set(numbers, material * slotWords + place.offset);
    }
    dirty.mark(material);
  }

  #write(call: string, actor: number, values: ArrayLike<number>, at: number, count: number): void {
    const { nodes } = this.#scene;
    const transform = this.#transform;
    for (let index = 0; index < TRANSFORM_FLOATS; index++)
      transform[index] = nodes.local[actor * TRANSFORM_FLOATS + index] as number;
    for (let index = 0; index < count; index++) {
      const value = values[index];
      if (!Number.isFinite(value))
        throw new OptionError('option-invalid', `${call} takes ${count} numbers, not ${value}.`);
      transform[at + index] = value as number;
    }
    this.#node[0] = actor;
    nodes.setTransforms(this.#node, 0, 1, transform, 0);
  }

  #require(call: string, actor: number): void {
    this.#check(call);
    if (this.#scene.nodes.has(actor)) return;
    throw new SceneError(
      'unknown-node',
      `${call}: there is no actor ${actor} on the render thread. Send it the number that RenderModule.idOf() gives, and take back those of destroyed actors.`,
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
const product = /* @__PURE__ */ new Float64Array(16);

/** translate · rotate · scale, column by column. */
function writeMatrix(out: Float64Array, local: Float32Array, at: number): void {
  const [x, y, z, w] = [local[at + 3], local[at + 4], local[at + 5], local[at + 6]] as number[] as [
    number,
    number,
    number,
    number,
  ];
  const scaleX = local[at + 7] as number;
  const scaleY = local[at + 8] as number;
  const scaleZ = local[at + 9] as number;
  out[0] = (1 - 2 * (y * y + z * z)) * scaleX;
  out[1] = 2 * (x * y + w * z) * scaleX;
  out[2] = 2 * (x * z - w * y) * scaleX;
  out[4] = 2 * (x * y - w * z) * scaleY;
  out[5] = (1 - 2 * (x * x + z * z)) * scaleY;
  out[6] = 2 * (y * z + w * x) * scaleY;
  out[8] = 2 * (x * z + w * y) * scaleZ;
  out[9] = 2 * (y * z - w * x) * scaleZ;
  out[10] = (1 - 2 * (x * x + y * y)) * scaleZ;
  for (let axis = 0; axis < 3; axis++) {
    out[axis * 4 + 3] = 0;
    out[12 + axis] = local[at + axis] as number;
  }
  out[15] = 1;
}

/** out = left · out */
function multiplyInto(out: Float64Array, left: Float64Array): void {
  for (let column = 0; column < 16; column += 4) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let index = 0; index < 4; index++)
        sum += (left[index * 4 + row] as number) * (out[column + index] as number);
      product[column + row] = sum;
    }
  }
  out.set(product);
}
