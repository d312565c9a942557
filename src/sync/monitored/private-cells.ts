/**
 * Cells of fences that one thread has for itself: packed together in pages of the thread's own memory (SYSTEMS F7),
 * a hundred in 4 KiB, where a shared fence takes 1 KiB alone.
 */
import { FenceCell } from './fence-cell.js';
import type { FenceAtomics } from './fence-memory.js';

const PAGE_BYTES = 4096;
const STRIDE = FenceCell.bytesFor(1);

export class PrivateCells {
  readonly #atomics: FenceAtomics;
  readonly #free: FenceCell[] = [];
  pages = 0;

  constructor(atomics: FenceAtomics) {
    this.#atomics = atomics;
  }

  take(): FenceCell {
    if (this.#free.length === 0) this.#addPage();
    return this.#free.pop() as FenceCell;
  }

  giveBack(cell: FenceCell): void {
    this.#free.push(cell);
  }

  #addPage(): void {
    const buffer = new ArrayBuffer(PAGE_BYTES);
    const memory = {
      ints: new Int32Array(buffer),
      words: new BigUint64Array(buffer),
      atomics: this.#atomics,
    };
    this.pages++;
    for (let at = 0; at + STRIDE <= PAGE_BYTES; at += STRIDE) {
      this.#free.push(new FenceCell(memory, at, 1, STRIDE));
    }
  }
}
