import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import { GpuPrimitive } from './gpu-layouts.js';
import { StorageBuffer } from './storage-buffer.js';

/**
 * The GPU scene: one storage buffer with a slot for every primitive, its transform, its material's slot and its flags. Shaders
 * find a primitive by its slot, so no bind group holds an offset of an object, and moving an object writes 64 bytes.
 */
const { at, words: SLOT } = GpuPrimitive;

export class GpuScene {
  readonly #storage = new StorageBuffer('gpu scene', SLOT);

  get buffer() {
    return this.#storage.handle;
  }

  get version(): number {
    return this.#storage.version;
  }

  reserve(length: number): void {
    this.#storage.reserve(length);
  }

  /**
   * Per moved primitive: writes its transform relative to the render origin.
   * @param matrix index in `world` of the first of 12 doubles
   */
  setTransform(slot: number, world: Float64Array, matrix: number, origin: Float64Array): void {
    const { floats } = this.#storage;
    let to = slot * SLOT + at.worldFromLocal;
    let from = matrix;
    for (let row = 0; row < 3; row++, to += 4, from += 4) {
      floats[to] = world[from] as number;
      floats[to + 1] = world[from + 1] as number;
      floats[to + 2] = world[from + 2] as number;
      floats[to + 3] = (world[from + 3] as number) - (origin[row] as number);
    }
    this.#storage.dirty.mark(slot);
  }

  /** @param flags `GpuPrimitiveFlag` */
  setMaterialAndFlags(slot: number, materialSlot: number, flags: number): void {
    const { words, dirty } = this.#storage;
    words[slot * SLOT + at.materialSlot] = materialSlot;
    words[slot * SLOT + at.flags] = flags;
    dirty.mark(slot);
  }

  word(slot: number, offset: number): number {
    return this.#storage.words[slot * SLOT + offset] as number;
  }

  /**
   * @param offset among the words of a slot
   * @param mask its bits that are others from now on
   */
  setWord(slot: number, offset: number, bits: number, mask = ~0): void {
    const { words, dirty } = this.#storage;
    const word = slot * SLOT + offset;
    words[word] = ((words[word] as number) & ~mask) | bits;
    dirty.mark(slot);
  }

  upload(rhi: ImmediateContext): void {
    this.#storage.upload(rhi);
  }

  dispose(rhi: ImmediateContext): void {
    this.#storage.dispose(rhi);
  }
}
