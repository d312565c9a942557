import { grow } from '../../core/memory/grow.js';
import { MATERIAL_FLOATS, MaterialFlag, TEXTURE_SLOT_COUNT } from '../../proxy/materials/material-layout.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuMaterial } from '../buffers/gpu-layouts.js';
import { StorageBuffer } from '../buffers/storage-buffer.js';
import { MaterialStates } from '../keys/material-states.js';
import { boundSlots, CORE_SLOTS, usedFeatures } from './feature-code.js';
import type { MaterialPolicy } from './material-policy.js';
import type { MaterialShaders } from './material-shaders.js';
import type { MaterialTextures } from './material-textures.js';
import { standardMaterial } from './standard-material.js';

const NONE = 0xffffffff;

/** A scene with primitives that use materials of the table. */
interface RestyledScene {
  materialChanged(material: number): void;
  restyled(): void;
}

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
  /** The scenes of all worlds. They are told when the draw states of a material's primitives must be found again. */
  readonly scenes = new Set<RestyledScene>();
  /** Parameters of all materials. Motions and clips also write into this storage: see `noteWritten`. */
  readonly storage = new StorageBuffer('materials', GpuMaterial.words);
  readonly #ids: number[] = new Array<number>(TEXTURE_SLOT_COUNT).fill(-1);
  /** Ids of each material's textures by slot, −1: none; and the slots that have a texture, as bits. */
  #textureIds = new Int32Array(0);
  #textured = new Uint32Array(0);
  /** A material, as features read it. */
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
  ): void {
    this.#reserve(material + 1);
    const storage = this.storage;
    const target = material * GpuMaterial.words;
    const count = Math.min(parameterCount, MATERIAL_FLOATS);
    for (let index = 0; index < count; index++) {
      storage.floats[target + index] = floats[firstParameter + index] as number;
    }
    storage.dirty.mark(material);

    let textures = 0;
    for (let slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
      const id = slot < textureCount ? (words[firstTexture + slot] as number) : NONE;
      this.#textureIds[material * TEXTURE_SLOT_COUNT + slot] = id === NONE ? -1 : id;
      if (id !== NONE) textures |= 1 << slot;
    }
    this.#textured[material] = textures;
    this.#style(material, flags);
  }

  /**
   * Per material and list: notes that a motion or clip has written the material's numbers. The numbers decide which
   * features it uses.
   */
  noteWritten(material: number): void {
    this.storage.dirty.mark(material);
    const state = this.state[material] as number;
    const flags = this.states.flags[state] as number;
    if (this.#featuresOf(material, flags) === this.states.features[state]) return;
    this.#style(material, flags);
  }

  /** Finds the state and texture set of a material, and tells the scenes if one of them has changed. */
  #style(material: number, flags: number): void {
    const features = this.#featuresOf(material, flags);
    const textured = this.textures ? (this.#textured[material] as number) : 0;
    const shader = this.shader[material] as number;
    const slots = shader ? this.#slotsOfShader(shader, textured) : boundSlots(features, textured);
    const ids = this.#ids;
    for (let slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
      const isBound = (slots & (1 << slot)) !== 0;
      ids[slot] = isBound ? (this.#textureIds[material * TEXTURE_SLOT_COUNT + slot] as number) : -1;
    }
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
    if (!isSame) this.#tellScenes(material, existed);
  }

  /** @param existed whether primitives may use the material, so that they need other pipelines or vanish */
  #tellScenes(material: number, existed: boolean): void {
    for (const scene of this.scenes) {
      scene.materialChanged(material);
      if (existed) scene.restyled();
    }
  }

  #featuresOf(material: number, flags: number): number {
    if (this.shader[material]) return 0;
    const source = this.#source;
    source.flags = flags;
    source.textures = this.textures ? (this.#textured[material] as number) : 0;
    source.floats = this.storage.floats;
    source.at = material * GpuMaterial.words;
    return usedFeatures(source);
  }

  /** Returns the slots that a page's shader binds. Its textures must be bound, even before they are loaded. */
  #slotsOfShader(shader: number, textured: number): number {
    const count = this.shaders?.textureCount(shader) ?? 0;
    if (!this.textures || (count === 0 && textured === 0)) return 0;
    return CORE_SLOTS | (2 ** count - 1);
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
    this.#tellScenes(material, true);
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
    this.#textured = grow(this.#textured, length);
    this.#textureIds = grow(this.#textureIds, length * TEXTURE_SLOT_COUNT);
  }
}
