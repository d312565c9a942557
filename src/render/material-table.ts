import { MATERIAL_FLOATS, TEXTURE_SLOT_COUNT, TEXTURE_SLOTS } from '../proxy/material-layout.js';
import type { ImmediateContext } from '../rhi/immediate-context.js';
import { GpuMaterial } from './gpu-layouts.js';
import { grow } from './grow.js';
import { StorageBuffer } from './storage-buffer.js';
import type { TextureSets } from './texture-sets.js';

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
  /** Index in `TextureSets`. */
  textureSet = new Uint32Array(0);
  isTextured = new Uint8Array(0);
  isNormalMapped = new Uint8Array(0);
  #exists = new Uint8Array(0);
  /** The parameters, by material. What moves them by itself writes here too. */
  readonly storage = new StorageBuffer('materials', GpuMaterial.words);
  readonly #ids: number[] = new Array<number>(TEXTURE_SLOT_COUNT).fill(-1);

  readonly #sets: TextureSets;

  constructor(sets: TextureSets) {
    this.#sets = sets;
  }

  get buffer() {
    return this.storage.handle;
  }

  get version(): number {
    return this.storage.version;
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

    let isTextured = 0;
    for (let slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
      const id = slot < textureCount ? (words[firstTexture + slot] as number) : NONE;
      ids[slot] = id === NONE ? -1 : id;
      if (id !== NONE) isTextured = 1;
    }
    const isNormalMapped = (ids[NORMAL_SLOT] as number) < 0 ? 0 : 1;
    const textureSet = this.#sets.acquire(ids);
    const wasThere = this.has(material);
    const isSame =
      wasThere &&
      this.flags[material] === flags &&
      this.textureSet[material] === textureSet &&
      this.isNormalMapped[material] === isNormalMapped;
    if (wasThere) this.#sets.release(this.textureSet[material] as number);
    this.#exists[material] = 1;
    this.flags[material] = flags;
    this.textureSet[material] = textureSet;
    this.isTextured[material] = isTextured;
    this.isNormalMapped[material] = isNormalMapped;
    return !isSame;
  }

  destroy(material: number): void {
    if (!this.has(material)) return;
    this.#exists[material] = 0;
    this.#sets.release(this.textureSet[material] as number);
  }

  upload(rhi: ImmediateContext): void {
    this.storage.upload(rhi);
  }

  dispose(rhi: ImmediateContext): void {
    this.storage.dispose(rhi);
  }

  #reserve(length: number): void {
    this.storage.reserve(length);
    this.flags = grow(this.flags, length);
    this.textureSet = grow(this.textureSet, length);
    this.isTextured = grow(this.isTextured, length);
    this.isNormalMapped = grow(this.isNormalMapped, length);
    this.#exists = grow(this.#exists, length);
  }
}
