export const UPLOAD_PAGE_BYTES = 262144;
/** 256 MiB. */
const MAXIMUM_UPLOAD_BYTES = 2 ** 28;
const IDLE_LISTS = 120;

/** How a backend makes pages. */
export interface UploadMemory<P> {
  /** A new page, mapped. */
  create(byteLength: number): P;
  /** The CPU is done with the page: the GPU may read it. */
  close(page: P): void;
  /** Maps the page again, then calls `ready`; never calls it when that fails. */
  reopen(page: P, ready: () => void): void;
  destroy(page: P): void;
}

interface UploadPage<P> {
  readonly memory: P;
  readonly byteLength: number;
  usedBytes: number;
  /** The list that used it last. */
  list: number;
  readonly onReady: () => void;
}

/**
 * Memory for uploads that must happen in the middle of a list (SYSTEMS L4). A page is mapped memory: the CPU
 * fills it, the list copies from it, and it may be filled again when that list has completed.
 *
 *   free ──allocate──► filling ──close(k)──► in use by list k ──k < completed──► reopening ──mapped──► free
 *
 * When no page has room another is made at once: growth holds in the frame that needs it, up to a bound (SYSTEMS M6).
 * What is larger than a page gets an oversize page, freed after its list. Pages that nobody needed for `IDLE_LISTS`
 * lists are freed.
 */
export class UploadPages<P> {
  readonly #memory: UploadMemory<P>;
  readonly #pageBytes: number;
  readonly #maximumBytes: number;
  #filling: UploadPage<P>[] = [];
  #inUse: UploadPage<P>[] = [];
  #free: UploadPage<P>[] = [];
  readonly #all = new Set<UploadPage<P>>();
  totalBytes = 0;
  peakBytes = 0;
  /** Where in its page the last allocation lies. */
  byteOffset = 0;

  constructor(memory: UploadMemory<P>, pageBytes = UPLOAD_PAGE_BYTES, maximumBytes = MAXIMUM_UPLOAD_BYTES) {
    this.#memory = memory;
    this.#pageBytes = pageBytes;
    this.#maximumBytes = maximumBytes;
  }

  get pageCount(): number {
    return this.#all.size;
  }

  /** False: an allocation of so many bytes would need a page beyond the bound. */
  hasRoom(byteLength: number): boolean {
    if (this.totalBytes + Math.max(byteLength, this.#pageBytes) <= this.#maximumBytes) return true;
    if (byteLength > this.#pageBytes) return false;
    return (
      this.#free.length > 0 || this.#filling.some((page) => page.usedBytes + byteLength <= page.byteLength)
    );
  }

  /** Returns the page; `byteOffset` says where in it. Per upload; allocates nothing while pages have room. */
  allocate(byteLength: number, alignment = 4): P {
    if (byteLength > this.#pageBytes) return this.#place(this.#create(byteLength), 0, byteLength);
    for (let i = this.#filling.length - 1; i >= 0; i--) {
      const page = this.#filling[i] as UploadPage<P>;
      const offset = Math.ceil(page.usedBytes / alignment) * alignment;
      if (offset + byteLength <= page.byteLength) return this.#place(page, offset, byteLength);
    }
    const page = this.#free.pop() ?? this.#create(this.#pageBytes);
    this.#filling.push(page);
    return this.#place(page, 0, byteLength);
  }

  /** The list that copies from the pages filled since the last call is about to be submitted as `listNumber`. */
  close(listNumber: number): void {
    for (const page of this.#filling) {
      page.list = listNumber;
      this.#memory.close(page.memory);
      this.#inUse.push(page);
    }
    this.#filling.length = 0;
  }

  /** Once a frame, and when idle: takes back pages whose lists have completed, and trims. */
  recycle(completed: number): void {
    let kept = 0;
    for (let i = 0; i < this.#inUse.length; i++) {
      const page = this.#inUse[i] as UploadPage<P>;
      if (page.list >= completed) this.#inUse[kept++] = page;
      else if (page.byteLength > this.#pageBytes) this.#destroy(page);
      else this.#memory.reopen(page.memory, page.onReady);
    }
    this.#inUse.length = kept;
    // The page at the bottom of the stack is the one unused for longest.
    const oldest = this.#free[0];
    if (oldest !== undefined && oldest.list + IDLE_LISTS < completed) {
      this.#free.shift();
      this.#destroy(oldest);
    }
  }

  dispose(): void {
    for (const page of this.#all) this.#destroy(page);
    this.#filling = [];
    this.#inUse = [];
    this.#free = [];
  }

  #create(byteLength: number): UploadPage<P> {
    const page: UploadPage<P> = {
      memory: this.#memory.create(byteLength),
      byteLength,
      usedBytes: 0,
      list: 0,
      onReady: () => {
        if (!this.#all.has(page)) return;
        page.usedBytes = 0;
        this.#free.push(page);
      },
    };
    this.#all.add(page);
    this.totalBytes += byteLength;
    this.peakBytes = Math.max(this.peakBytes, this.totalBytes);
    if (byteLength > this.#pageBytes) this.#filling.push(page);
    return page;
  }

  #place(page: UploadPage<P>, offset: number, byteLength: number): P {
    page.usedBytes = offset + byteLength;
    this.byteOffset = offset;
    return page.memory;
  }

  #destroy(page: UploadPage<P>): void {
    if (!this.#all.delete(page)) return;
    this.totalBytes -= page.byteLength;
    this.#memory.destroy(page.memory);
  }
}
