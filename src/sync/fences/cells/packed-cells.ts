/**
 * Cells of one thread's private fences, packed together in pages of the thread's own memory (SYSTEMS F7). A shared
 * fence takes 1 KiB instead.
 */
const PAGE_BYTES = 4096;

export class PackedCells<Cell> {
  readonly #stride: number;
  readonly #create: (page: ArrayBuffer, byteOffset: number) => Cell;
  readonly #free: Cell[] = [];
  pages = 0;

  /** @param stride size of a cell, in bytes */
  constructor(stride: number, create: (page: ArrayBuffer, byteOffset: number) => Cell) {
    this.#stride = stride;
    this.#create = create;
  }

  take(): Cell {
    if (this.#free.length === 0) this.#addPage();
    return this.#free.pop() as Cell;
  }

  giveBack(cell: Cell): void {
    this.#free.push(cell);
  }

  #addPage(): void {
    const page = new ArrayBuffer(PAGE_BYTES);
    this.pages++;
    for (let at = 0; at + this.#stride <= PAGE_BYTES; at += this.#stride) {
      this.#free.push(this.#create(page, at));
    }
  }
}
