import { grow } from '../../core/memory/grow.js';
import { MATERIAL_FLOATS, MaterialFlag, TEXTURE_SLOT_COUNT } from '../../proxy/materials/material-layout.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuMaterial } from '../buffers/gpu-layouts.js';
import { StorageBuffer } from '../buffers/storage-buffer.js';
import { MaterialStates } from '../keys/material-states.js';
import { boundSlots, COMMON_SLOTS, usedFeatures } from './feature-code.js';
import type { MaterialPolicy } from './material-policy.js';
import type { MaterialShaders } from './material-shaders.js';
import type { MaterialTextures } from './material-textures.js';
import { standardMaterial } from './standard-material.js';

const NONE = 0xffffffff;

/**
 * Materials as a table in one storage buffer. A primitive names its material by slot. So meshes of different
 * materials draw together if pipeline and textures agree. Parameters are uploaded as the game sent them.
 *
 *   setMaterial ─┬─ parameters ─► slot of the table        (changes nothing else)
 *                └─ flags, textures, features ─► state, texture set   (changes the draw states of its primitives)
 */
export class MaterialTable {
  readonly states = new MaterialStates();
  /** Number of each material's state, in `states`. */
  state = new Uint16Array(0);
  /** Images of materials. Until the first image arrives, this is missing and materials have no textures. */
  textures: MaterialTextures | undefined;
  /** Texture set of each material, an index in `TextureSets`; 0: none. */
  textureSet = new Uint32Array(0);
  /**
   * Shader of each material, a number of `MaterialShaders`; 0: the engine's shader. The next `set` applies
   * it.
   */
  shader = new Uint16Array(0);
  /** Shaders of the page; missing until its first shader arrives. */
  shaders: MaterialShaders | undefined;
  /** Number of materials that tone mapping does not change. */
  unmappedCount = 0;
  /** Increases when a material may cut out different pixels by its alpha, or move vertices differently. */
  shapesVersion = 0;
  /** Number of materials that cut out pixels by their alpha, plus number of shaders that move vertices. */
  shapeCount = 0;
  #exists = new Uint8Array(0);
  /** Parameters of all materials. Motions and clips also write into this storage. */
  readonly storage = new StorageBuffer('materials', GpuMaterial.words);
  readonly #ids: number[] = new Array<number>(TEXTURE_SLOT_COUNT).fill(-1);
  /** The material in `set`, as features read it. */
  readonly #source = { flags: 0, textures: 0, floats: this.storage.floats, at: 0 };
  readonly #standard = standardMaterial(this.states);

  get buffer() {
    return this.storage.handle;
  }

  get version(): number {
    return this.storage.version;
  }

  /** Returns the policy of draws with this pipeline key. */
  policy(key: number): MaterialPolicy {
    return (this.states.shaderOf(key) && this.shaders) || this.#standard;
  }

  has(material: number): boolean {
    return this.#exists[material] === 1;
  }

  /**
   * Creates or updates a material.
   * @throws RhiError `limit-exceeded`
   * @returns true if the draw states of the material's primitives must be found again
   */
  set(
    material: number,
    flags: number,
    words: Uint32Array,
    firstTexture: number,
    textureCount: number,
    floats: Float32Array,
    firstParameter: number,
    parameterCount: number,
  ): boolean {
    this.#reserve(material + 1);
    const storage = this.storage;
    const ids = this.#ids;
    const target = material * GpuMaterial.words;
    const count = Math.min(parameterCount, MATERIAL_FLOATS);
    for (let index = 0; index < count; index++) {
      storage.floats[target + index] = floats[firstParameter + index] as number;
    }
    storage.dirty.mark(material);

    let textures = 0;
    for (let slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
      const id = slot < textureCount ? (words[firstTexture + slot] as number) : NONE;
      ids[slot] = id === NONE ? -1 : id;
      if (id !== NONE) textures |= 1 << slot;
    }
    const shader = this.shader[material] as number;
    const source = this.#source;
    source.flags = flags;
    source.textures = this.textures ? textures : 0;
    source.floats = storage.floats;
    source.at = target;
    const features = shader ? 0 : usedFeatures(source);
    let slots = shader && source.textures ? COMMON_SLOTS : boundSlots(features, source.textures);
    // A shader's textures must be bound, even before they are loaded.
    if (this.textures && (this.shaders?.textureCount(shader) ?? 0) > 0) slots = COMMON_SLOTS;
    for (let slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) if (!(slots & (1 << slot))) ids[slot] = -1;
    const before = this.state[material] as number;
    const state = this.states.is(before, flags, features, slots, shader)
      ? before
      : this.states.intern(flags, features, slots, shader);
    const textureSet = (slots && this.textures?.sets.acquire(ids, slots)) || 0;
    const existed = this.has(material);
    const isSame = existed && before === state && this.textureSet[material] === textureSet;
    if (existed) this.#release(material);
    this.#exists[material] = 1;
    this.state[material] = state;
    if (flags & MaterialFlag.unmapped) this.unmappedCount++;
    if (flags & MaterialFlag.alphaMask) this.shapeCount++;
    this.textureSet[material] = textureSet;
    return !isSame;
  }

  /** Sets the shader of a material that is about to be created. @param shader a number of `shaders` */
  setShader(material: number, shader: number): void {
    this.#reserve(material + 1);
    this.shader[material] = shader;
  }

  destroy(material: number): void {
    if (!this.has(material)) return;
    this.shader[material] = 0;
    this.#exists[material] = 0;
    this.#release(material);
  }

  upload(rhi: ImmediateContext): void {
    if (this.shapeCount > 0 && !this.storage.dirty.isEmpty) this.shapesVersion++;
    this.storage.upload(rhi);
  }

  dispose(rhi: ImmediateContext): void {
    this.textures?.dispose();
    this.storage.dispose(rhi);
  }

  #release(material: number): void {
    const flags = this.states.flags[this.state[material] as number] as number;
    if (flags & MaterialFlag.unmapped) this.unmappedCount--;
    if (flags & MaterialFlag.alphaMask) this.shapeCount--;
    this.textures?.sets.release(this.textureSet[material] as number);
  }

  #reserve(length: number): void {
    this.storage.reserve(length);
    this.state = grow(this.state, length);
    this.textureSet = grow(this.textureSet, length);
    this.shader = grow(this.shader, length);
    this.#exists = grow(this.#exists, length);
  }
}
