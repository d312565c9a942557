import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuPrimitive } from '../buffers/gpu-layouts.js';
import { StorageBuffer } from '../buffers/storage-buffer.js';

const { at, words: SLOT } = GpuPrimitive;

/**
 * The GPU scene: one storage buffer with a slot for every primitive. A slot holds a transform, the slot of a material,
 * flags, and two words for deformers or a colour. Shaders find a primitive by its slot, so bind groups contain no
 * offsets per object. Moving an object writes 64 bytes.
 */
export class GpuScene {
  readonly #storage = new StorageBuffer('gpu scene', SLOT);

  get storage(): StorageBuffer {
    return this.#storage;
  }

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
    const to = slot * SLOT + at.worldFromLocal;
    // Unrolled, because a loop over rows costs more than its work.
    floats[to] = world[matrix] as number;
    floats[to + 1] = world[matrix + 1] as number;
    floats[to + 2] = world[matrix + 2] as number;
    floats[to + 3] = (world[matrix + 3] as number) - (origin[0] as number);
    floats[to + 4] = world[matrix + 4] as number;
    floats[to + 5] = world[matrix + 5] as number;
    floats[to + 6] = world[matrix + 6] as number;
    floats[to + 7] = (world[matrix + 7] as number) - (origin[1] as number);
    floats[to + 8] = world[matrix + 8] as number;
    floats[to + 9] = world[matrix + 9] as number;
    floats[to + 10] = world[matrix + 10] as number;
    floats[to + 11] = (world[matrix + 11] as number) - (origin[2] as number);
    this.#storage.dirty.mark(slot);
  }

  /** Sets a primitive's material and flags. @param flags `GpuPrimitiveFlag` */
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
   * Replaces bits of a word.
   * @param offset index among the words of a slot
   * @param mask bits of the word to replace
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
