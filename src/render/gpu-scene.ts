import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import { GpuPrimitive } from './gpu-layouts.js';
import { grow } from './grow.js';
import { StorageBuffer } from './storage-buffer.js';

/**
 * The GPU scene: one storage buffer with a slot for every primitive, its transform now and in the frame before,
 * its material's slot and its flags. Shaders find a primitive by its slot, so no bind group holds an offset of an
 * object, and moving an object writes 112 bytes.
 *
 *   frame N     move     now = B   before = A
 *   frame N+1   settle   now = B   before = B      what stopped moving is written once more
 */
const { at, words: SLOT } = GpuPrimitive;
const ROWS = 12;

export class GpuScene {
  readonly #storage = new StorageBuffer('gpu scene', SLOT);
  #movedBefore = new Uint32Array(64);
  #movedBeforeCount = 0;

  get buffer() {
    return this.#storage.handle;
  }

  get version(): number {
    return this.#storage.version;
  }

  reserve(length: number): void {
    this.#storage.reserve(length);
  }

  /** Per frame, before any move: what moved in the last frame has been where it is now. */
  settle(): void {
    const { floats, dirty } = this.#storage;
    for (let index = 0; index < this.#movedBeforeCount; index++) {
      const slot = this.#movedBefore[index] as number;
      copyRows(floats, slot * SLOT);
      dirty.mark(slot);
    }
    this.#movedBeforeCount = 0;
  }

  /**
   * Per moved primitive: writes its transform relative to the render origin.
   * @param matrix index in `world` of the first of 12 doubles
   */
  setTransform(slot: number, world: Float64Array, matrix: number, origin: Float64Array): void {
    const { floats } = this.#storage;
    const to = slot * SLOT + at.worldFromLocal;
    for (let row = 0; row < 3; row++) {
      const source = matrix + row * 4;
      const target = to + row * 4;
      floats[target] = world[source] as number;
      floats[target + 1] = world[source + 1] as number;
      floats[target + 2] = world[source + 2] as number;
      floats[target + 3] = (world[source + 3] as number) - (origin[row] as number);
    }
    this.#storage.dirty.mark(slot);
    if (this.#movedBeforeCount === this.#movedBefore.length) {
      this.#movedBefore = grow(this.#movedBefore, this.#movedBeforeCount + 1);
    }
    this.#movedBefore[this.#movedBeforeCount++] = slot;
  }

  /** A primitive that just appeared, or a moved render origin, has no past: it did not move. */
  forgetPast(slot: number): void {
    copyRows(this.#storage.floats, slot * SLOT);
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

function copyRows(floats: Float32Array, slot: number): void {
  const from = slot + at.worldFromLocal;
  const to = slot + at.previousWorldFromLocal;
  for (let index = 0; index < ROWS; index++) floats[to + index] = floats[from + index] as number;
}
