import {
  MATERIAL_FLOATS,
  MaterialFlag,
  TEXTURE_SLOT_COUNT,
  TEXTURE_SLOTS,
} from '../../proxy/material-layout.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuMaterial } from '../buffers/gpu-layouts.js';
import { grow } from '../buffers/grow.js';
import { StorageBuffer } from '../buffers/storage-buffer.js';
import { KeyBit, shaderOf } from '../keys/pipeline-key.js';
import type { MaterialPolicy } from './material-policy.js';
import type { MaterialShaders } from './material-shaders.js';
import type { MaterialTextures } from './material-textures.js';
import { standardMaterial } from './standard-material.js';
import { unlitMaterial } from './unlit-material.js';

/**
 * Materials as a table in one storage buffer: a primitive names its material by slot, so meshes of different
 * materials draw together as long as pipeline and textures agree. Parameters go to the GPU as they came.
 *
 *   setMaterial ─┬─ parameters ─► slot of the table        (changes nothing else)
 *                └─ flags, textures ─► pipeline bits, texture set   (changes the draw states of its primitives)
 */
const NORMAL_SLOT = /* @__PURE__ */ TEXTURE_SLOTS.indexOf('normal');
const NONE = 0xffffffff;

export class MaterialTable {
  /** `MaterialFlag`. */
  flags = new Uint8Array(0);
  /** Set with the first image; materials are without textures until then. */
  textures: MaterialTextures | undefined;
  /** Index in `TextureSets`; 0: none. */
  textureSet = new Uint32Array(0);
  isNormalMapped = new Uint8Array(0);
  /** Numbers of `MaterialShaders`; 0: the engine's own shader. */
  shader = new Uint16Array(0);
  /** Set with the first shader of the page's. */
  shaders: MaterialShaders | undefined;
  /** How many materials there are that tone mapping leaves alone. */
  unmappedCount = 0;
  /** Rises when a material may cut out something else by its alpha, or move vertices otherwise. */
  shapesVersion = 0;
  /** Materials that cut out by their alpha, and shaders that move vertices: how many decide shapes. */
  shapeCount = 0;
  #exists = new Uint8Array(0);
  /** The parameters, by material. What moves them by itself writes here too. */
  readonly storage = new StorageBuffer('materials', GpuMaterial.words);
  readonly #ids: number[] = new Array<number>(TEXTURE_SLOT_COUNT).fill(-1);

  get buffer() {
    return this.storage.handle;
  }

  get version(): number {
    return this.storage.version;
  }

  /** Of draws with this pipeline key. */
  policy(key: number): MaterialPolicy {
    return (shaderOf(key) && this.shaders) || (key & KeyBit.unlit ? unlitMaterial : standardMaterial);
  }

  has(material: number): boolean {
    return this.#exists[material] === 1;
  }

  /**
   * Creates or updates a material.
   * @returns true when the draw states of its primitives must be found anew
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

    let isTextured = false;
    for (let slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
      const id = slot < textureCount ? (words[firstTexture + slot] as number) : NONE;
      ids[slot] = id === NONE ? -1 : id;
      if (id !== NONE) isTextured = true;
    }
    // What a shader reads has to be bound, whether there is anything yet or not.
    const isRead = (this.shaders?.textureCount(this.shader[material] as number) ?? 0) > 0;
    const textureSet = ((isTextured || isRead) && this.textures?.sets.acquire(ids)) || 0;
    const isNormalMapped = textureSet && (ids[NORMAL_SLOT] as number) >= 0 ? 1 : 0;
    const wasThere = this.has(material);
    const isSame =
      wasThere &&
      this.flags[material] === flags &&
      this.textureSet[material] === textureSet &&
      this.isNormalMapped[material] === isNormalMapped;
    if (wasThere) this.#release(material);
    this.#exists[material] = 1;
    this.flags[material] = flags;
    if (flags & MaterialFlag.unmapped) this.unmappedCount++;
    if (flags & MaterialFlag.alphaMask) this.shapeCount++;
    this.textureSet[material] = textureSet;
    this.isNormalMapped[material] = isNormalMapped;
    return !isSame;
  }

  /** Before the material is there. @param shader a number of `shaders` */
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
    const flags = this.flags[material] as number;
    if (flags & MaterialFlag.unmapped) this.unmappedCount--;
    if (flags & MaterialFlag.alphaMask) this.shapeCount--;
    this.textures?.sets.release(this.textureSet[material] as number);
  }

  #reserve(length: number): void {
    this.storage.reserve(length);
    this.flags = grow(this.flags, length);
    this.textureSet = grow(this.textureSet, length);
    this.isNormalMapped = grow(this.isNormalMapped, length);
    this.shader = grow(this.shader, length);
    this.#exists = grow(this.#exists, length);
  }
}
