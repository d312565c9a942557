/**
 * Dynamic buffers and transient bind groups (SYSTEMS L5) hold data that lives for one frame. A page is a GPU buffer
 * with a copy in CPU memory. An allocation is the next free range of a page. The caller fills the range on the CPU,
 * commits it, and uses it in the same frame. After the frame, the range is reused.
 *
 *   page A  │ camera 256 │ object 256 │ object 256 │ free …        allocate ─► fill ─► commit ─► draws
 *   page B  │ vertices 4096 │ free …                                                     frame ends: all expire
 *
 * A page may be filled again in the very next frame, although the GPU may still execute the frame before. `commit`
 * records `writeBufferUnordered`, which the executor passes to the queue at once. The queue keeps its order, so the
 * write runs after all draws of earlier frames, and before the list with the `commit`. Within a frame no range is
 * allocated twice, so the write does not change data that earlier draws of this list use.
 *
 * An allocation that does not fit the current page begins the next unused page, or a new one. An allocation larger than
 * a page gets a page of its own, whose length is the page size times a power of two. The total of all pages is bounded
 * (SYSTEMS M6). Each frame uses the pages in the same order, so that equal frames get equal offsets. A page that is
 * unused for `IDLE_FRAMES` frames is destroyed.
 */
import { RhiError } from '../../core/errors.js';
import { amount, anything, optional, wholeFrom } from '../../core/options/members.js';
import { checkContext, checkOptions } from '../commands/class-arguments.js';
import {
  type BindGroupDescriptor,
  type BindGroupHandle,
  type BufferHandle,
  BufferUsage,
} from '../commands/descriptors.js';
import { writeWordsUnordered } from '../mapping/unordered-write.js';
import type { FrameEnds } from '../record/frame-ends.js';
import type { ImmediateContext } from '../record/immediate-context.js';

export const DYNAMIC_PAGE_BYTES = 262144;
/** Prefix of the labels of all dynamic pages. */
export const DYNAMIC_PAGE_LABEL = 'dynamic page';
const IDLE_FRAMES = 120;
/** Offset alignment that every device accepts for uniform and storage bindings, in bytes. */
const DEFAULT_ALIGNMENT = 256;
/** Shapes of the options. The bits of `usage` are WebGPU's buffer usages. */
const OPTIONS = {
  pageBytes: anything(),
  usage: optional(wholeFrom(0, 1023)),
  maximumBytes: optional(amount('bytes')),
};
/** Upper bound of the buffer size on any device, in bytes. */
const MOST_BYTES = 2 ** 32;

export interface DynamicBuffersOptions {
  /** Bytes of an ordinary page, a multiple of 256. Default 262,144. */
  readonly pageBytes?: number;
  /** Bits of `BufferUsage`; `copyTarget` is added. Default: uniform, vertex, index, read-only storage, indirect. */
  readonly usage?: number;
  /** Maximum bytes of all pages together. Default 268,435,456. */
  readonly maximumBytes?: number;
}

interface Page {
  readonly buffer: BufferHandle;
  readonly byteLength: number;
  readonly words: Uint32Array;
  readonly floats: Float32Array;
  readonly ints: Int32Array;
  usedBytes: number;
  /** The frame that used the page last, as a value of `DynamicBuffers.frame`. */
  lastFrame: number;
}

/**
 * A range that is valid until the end of its frame. Fill `words`, `floats` or `ints` from `firstWord` on, call
 * `commit`, then bind or draw from `buffer` at `byteOffset`. After the frame, `commit` and all of these properties
 * except `firstWord` throw RhiError `dynamic-expired`.
 */
export class DynamicAllocation {
  readonly label: string;
  /** Length in bytes, a multiple of 4. */
  readonly byteLength: number;
  readonly #owner: DynamicBuffers;
  readonly #page: Page;
  readonly #byteOffset: number;
  readonly #frame: number;
  #isCommitted = false;

  /** Called by `DynamicBuffers.allocate` only. */
  constructor(owner: DynamicBuffers, page: Page, byteOffset: number, byteLength: number, label: string) {
    this.label = label;
    this.byteLength = byteLength;
    this.#owner = owner;
    this.#page = page;
    this.#byteOffset = byteOffset;
    this.#frame = owner.frame;
  }

  get isCommitted(): boolean {
    return this.#isCommitted;
  }

  get buffer(): BufferHandle {
    return this.#livePage().buffer;
  }

  /** Byte offset of the range in `buffer`. Also the dynamic offset for a bind group that binds the page from 0. */
  get byteOffset(): number {
    this.#livePage();
    return this.#byteOffset;
  }

  /** Index of the range's first word in `words`, `floats` and `ints`, which show the whole page. */
  get firstWord(): number {
    return this.#byteOffset >> 2;
  }

  get words(): Uint32Array {
    return this.#livePage().words;
  }

  get floats(): Float32Array {
    return this.#livePage().floats;
  }

  get ints(): Int32Array {
    return this.#livePage().ints;
  }

  /**
   * Records the write of the data. Call it once per allocation, before the first draw that uses the data. Allowed
   * inside passes.
   * @throws RhiError `dynamic-committed` at the second call, because recorded draws may already rely on the first data
   */
  commit(): void {
    const page = this.#livePage();
    if (this.#isCommitted) {
      throw new RhiError(
        'dynamic-committed',
        `The dynamic allocation "${this.label}" was committed before. Make another allocation for other data.`,
      );
    }
    this.#isCommitted = true;
    this.#owner.record(page, this.#byteOffset, this.byteLength);
  }

  #livePage(): Page {
    if (this.#frame === this.#owner.frame) return this.#page;
    throw new RhiError(
      'dynamic-expired',
      `The dynamic allocation "${this.label}" was used after the end of its frame, when its memory is reused. Allocate a new one in each frame, or use a buffer of your own.`,
    );
  }
}

export class DynamicBuffers {
  readonly #context: ImmediateContext & FrameEnds;
  readonly #pageBytes: number;
  readonly #usage: number;
  readonly #maximumBytes: number;
  readonly #stopListening: () => void;
  /** Pages used in this frame, in the order of their first use. */
  readonly #used: Page[] = [];
  /** Unused pages; the last one of the needed length is used next. */
  readonly #free: Page[] = [];
  /** The ordinary page that is being filled. */
  #current: Page | null = null;
  readonly #allocations: DynamicAllocation[] = [];
  readonly #bindGroups: BindGroupHandle[] = [];
  #frame = 0;
  #totalBytes = 0;
  #peakBytes = 0;

  /**
   * @throws RhiError `bad-allocation` for a page size that is not a multiple of 256; OptionError `option-invalid`,
   *   `option-unknown`
   */
  constructor(context: ImmediateContext & FrameEnds, options: DynamicBuffersOptions = {}) {
    checkContext('new DynamicBuffers', context);
    checkOptions('new DynamicBuffers', options, OPTIONS);
    const { pageBytes = DYNAMIC_PAGE_BYTES, maximumBytes = 2 ** 28 } = options;
    if (!(Number.isInteger(pageBytes) && pageBytes > 0 && pageBytes % DEFAULT_ALIGNMENT === 0)) {
      throw new RhiError(
        'bad-allocation',
        `The option pageBytes is ${pageBytes}. Give a multiple of 256 bytes.`,
      );
    }
    const { uniform, vertex, index, storage, indirect } = BufferUsage;
    this.#context = context;
    this.#pageBytes = pageBytes;
    this.#usage = (options.usage ?? uniform | vertex | index | storage | indirect) | BufferUsage.copyTarget;
    this.#maximumBytes = maximumBytes;
    this.#stopListening = context.onFrameFinished(() => this.#finishFrame());
  }

  /** Number of frames that have ended. An allocation is valid while this number is the same as at the allocation. */
  get frame(): number {
    return this.#frame;
  }

  get pageCount(): number {
    return this.#used.length + this.#free.length;
  }

  /** GPU memory of all pages, in bytes. Their copies in CPU memory take as many bytes again. */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  get peakBytes(): number {
    return this.#peakBytes;
  }

  /**
   * Allocates a range. Returns a new small object for each range, so that the use of an expired range can be detected.
   * Called per draw.
   * @param byteLength 1 to 2^32 bytes; rounded up to a multiple of 4
   * @param alignment alignment of the offset in bytes, a multiple of 4. Default 256, which uniform and storage bindings
   *   need
   * @param label name in errors
   * @throws RhiError `bad-allocation`, `dynamic-exhausted`
   */
  allocate(byteLength: number, alignment = DEFAULT_ALIGNMENT, label = 'unnamed'): DynamicAllocation {
    if (!(byteLength >= 1 && byteLength <= MOST_BYTES && alignment >= 4 && alignment % 4 === 0)) {
      throw new RhiError(
        'bad-allocation',
        `The dynamic allocation "${label}" asks for ${byteLength} bytes with the alignment ${alignment}. Ask for 1 to 2^32 bytes, and for an alignment that is a multiple of 4.`,
      );
    }
    const bytes = Math.ceil(byteLength / 4) * 4;
    let page = this.#current;
    let byteOffset = page === null ? 0 : Math.ceil(page.usedBytes / alignment) * alignment;
    if (page === null || byteOffset + bytes > page.byteLength) {
      page = this.#takePage(bytes, label);
      byteOffset = 0;
    }
    page.usedBytes = byteOffset + bytes;
    const allocation = new DynamicAllocation(this, page, byteOffset, bytes, label);
    this.#allocations.push(allocation);
    return allocation;
  }

  /**
   * Creates a bind group that is destroyed at the frame's end. For per-draw data, prefer one bind group per page with
   * dynamic offsets.
   */
  bindGroup(descriptor: BindGroupDescriptor): BindGroupHandle {
    const handle = this.#context.createBindGroup(descriptor);
    this.#bindGroups.push(handle);
    return handle;
  }

  /** Destroys all pages. This frame's allocations expire. */
  dispose(): void {
    this.#stopListening();
    this.#frame++;
    for (const group of this.#bindGroups) this.#context.destroy(group);
    for (const page of [...this.#used, ...this.#free]) this.#destroyPage(page);
    this.#current = null;
    this.#used.length = this.#free.length = this.#allocations.length = this.#bindGroups.length = 0;
  }

  /** Records the write of `DynamicAllocation.commit`. Called per draw. */
  record({ buffer, words }: Page, byteOffset: number, byteLength: number): void {
    const begin = byteOffset >> 2;
    writeWordsUnordered(this.#context.writer, buffer, byteOffset, words, begin, begin + (byteLength >> 2));
  }

  #takePage(byteLength: number, label: string): Page {
    let pageBytes = this.#pageBytes;
    while (pageBytes < byteLength) pageBytes *= 2;
    const free = this.#free.findLastIndex(({ byteLength }) => byteLength === pageBytes);
    if (free < 0) this.#makeRoom(pageBytes, label);
    const page = free < 0 ? this.#createPage(pageBytes) : this.#free.splice(free, 1)[0];
    page.usedBytes = 0;
    page.lastFrame = this.#frame;
    this.#used.push(page);
    if (pageBytes === this.#pageBytes) this.#current = page;
    return page;
  }

  /** Destroys pages that are unused in this frame, until the new page fits. @throws RhiError `dynamic-exhausted` */
  #makeRoom(pageBytes: number, label: string): void {
    while (this.#totalBytes + pageBytes > this.#maximumBytes) {
      const unused = this.#free.shift();
      if (unused === undefined) {
        throw new RhiError(
          'dynamic-exhausted',
          `The dynamic allocation "${label}" needs a page of ${pageBytes} bytes, and this frame has used ${this.#totalBytes} of ${this.#maximumBytes}. Allocate less in one frame, or raise maximumBytes.`,
        );
      }
      this.#destroyPage(unused);
    }
  }

  #createPage(byteLength: number): Page {
    // The buffer is created first, because the device may reject its size.
    const buffer = this.#context.createBuffer({
      label: `${DYNAMIC_PAGE_LABEL}, ${byteLength} bytes`,
      byteLength,
      usage: this.#usage,
    });
    const data = new ArrayBuffer(byteLength);
    this.#totalBytes += byteLength;
    this.#peakBytes = Math.max(this.#peakBytes, this.#totalBytes);
    return {
      buffer,
      byteLength,
      words: new Uint32Array(data),
      floats: new Float32Array(data),
      ints: new Int32Array(data),
      usedBytes: 0,
      lastFrame: this.#frame,
    };
  }

  #destroyPage(page: Page): void {
    this.#totalBytes -= page.byteLength;
    this.#context.destroy(page.buffer);
  }

  /**
   * Ends the frame's allocations. Runs before `endFrame` is recorded, so that the bind groups are paired with the
   * number of the list that used them (SYSTEMS L2).
   * @throws RhiError `dynamic-not-committed`, once all other steps of the frame's end are done
   */
  #finishFrame(): void {
    const forgotten = this.#allocations.find((allocation) => !allocation.isCommitted);
    this.#allocations.length = 0;
    for (const group of this.#bindGroups) this.#context.destroy(group);
    this.#bindGroups.length = 0;
    for (let page = this.#used.pop(); page; page = this.#used.pop()) this.#free.push(page);
    this.#current = null;
    this.#frame++;
    // The first page of the stack has been unused for the longest time.
    while (this.#free.length > 0 && this.#free[0].lastFrame + IDLE_FRAMES < this.#frame) {
      this.#destroyPage(this.#free.splice(0, 1)[0]);
    }
    if (forgotten === undefined) return;
    throw new RhiError(
      'dynamic-not-committed',
      `The dynamic allocation "${forgotten.label}" was not committed in its frame, so its bytes never reached the GPU. Call commit() when it is filled, before the draws that use it.`,
    );
  }
}
