export const UPLOAD_PAGE_BYTES = 262144;
/** Default maximum of all pages together: 256 MiB. */
const MAXIMUM_UPLOAD_BYTES = 2 ** 28;
const IDLE_LISTS = 120;

/** The operations by which a backend creates and reuses pages. */
export interface UploadMemory<P> {
  /** Creates a mapped page. */
  create(byteLength: number): P;
  /** Ends the CPU's access to the page, so that the GPU may read it. */
  close(page: P): void;
  /** Maps the page again, then calls `ready`. If mapping fails, `ready` is not called. */
  reopen(page: P, ready: () => void): void;
  destroy(page: P): void;
}

interface UploadPage<P> {
  readonly memory: P;
  readonly byteLength: number;
  usedBytes: number;
  /** Number of the list that used the page last. */
  list: number;
  readonly onReady: () => void;
}

/**
 * Memory for uploads that must happen in the middle of a list (SYSTEMS L4). A page is mapped memory: the CPU fills it,
 * and the list copies from it. When that list has completed, the page may be filled again.
 *
 *   free ──allocate──► filling ──close(k)──► in use by list k ──k < completed──► reopening ──mapped──► free
 *
 * If an allocation fits no page, another page is created at once. Callers ask `hasRoom` first, which keeps the total
 * below a bound (SYSTEMS M6). An allocation larger than a page gets an oversize page, which is freed after its list.
 * Pages that are unused for `IDLE_LISTS` lists are freed.
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
  /** Offset of the last allocation in its page. */
  byteOffset = 0;

  constructor(memory: UploadMemory<P>, pageBytes = UPLOAD_PAGE_BYTES, maximumBytes = MAXIMUM_UPLOAD_BYTES) {
    this.#memory = memory;
    this.#pageBytes = pageBytes;
    this.#maximumBytes = maximumBytes;
  }

  get pageCount(): number {
    return this.#all.size;
  }

  /** Returns whether the allocation keeps the total within the bound. */
  hasRoom(byteLength: number, alignment = 4): boolean {
    if (this.totalBytes + Math.max(byteLength, this.#pageBytes) <= this.#maximumBytes) return true;
    if (byteLength > this.#pageBytes) return false;
    if (this.#free.length > 0) return true;
    return this.#filling.some((page) => offsetIn(page, alignment) + byteLength <= page.byteLength);
  }

  /**
   * Allocates bytes and returns their page. Sets `byteOffset` to their offset in the page. Called per upload; creates
   * no object while the bytes fit a page.
   */
  allocate(byteLength: number, alignment = 4): P {
    if (byteLength > this.#pageBytes) return this.#place(this.#create(byteLength), 0, byteLength);
    for (let i = this.#filling.length - 1; i >= 0; i--) {
      const page = this.#filling[i] as UploadPage<P>;
      const offset = offsetIn(page, alignment);
      if (offset + byteLength <= page.byteLength) return this.#place(page, offset, byteLength);
    }
    const page = this.#free.pop() ?? this.#create(this.#pageBytes);
    this.#filling.push(page);
    return this.#place(page, 0, byteLength);
  }

  /**
   * Closes the pages filled since the last call, before the list that copies from them is submitted as `listNumber`.
   */
  close(listNumber: number): void {
    for (const page of this.#filling) {
      page.list = listNumber;
      this.#memory.close(page.memory);
      this.#inUse.push(page);
    }
    this.#filling.length = 0;
  }

  /** Reopens pages whose lists have completed, and frees one idle page at most. Called per frame, and when idle. */
  recycle(completed: number): void {
    let kept = 0;
    for (let i = 0; i < this.#inUse.length; i++) {
      const page = this.#inUse[i] as UploadPage<P>;
      if (page.list >= completed) this.#inUse[kept++] = page;
      else if (page.byteLength > this.#pageBytes) this.#destroy(page);
      else this.#memory.reopen(page.memory, page.onReady);
    }
    this.#inUse.length = kept;
    // The first page of the stack has been unused for the longest time.
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

/** Returns the offset of the next allocation in a page. */
const offsetIn = ({ usedBytes }: UploadPage<unknown>, alignment: number): number =>
  Math.ceil(usedBytes / alignment) * alignment;
