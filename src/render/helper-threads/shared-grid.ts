import { MOST_CELLS, TILE } from '../occlusion/box-test.js';
import type { CoveredCells } from '../scene/primitive-store.js';

const CELLS = MOST_CELLS ** 2;
const TILES = Math.ceil(MOST_CELLS / TILE) ** 2;

/** A copy of the covered cells of a view, in memory that helpers see. */
export class SharedGrid {
  static readonly bytes = (CELLS + TILES) * 4;
  readonly depths: Float32Array;
  readonly tiles: Float32Array;

  constructor(buffer: SharedArrayBuffer) {
    this.depths = new Float32Array(buffer, 0, CELLS);
    this.tiles = new Float32Array(buffer, CELLS * 4, TILES);
  }

  /** Copies the cells. Called per occlusion loop. */
  copy({ depths, tiles }: CoveredCells): void {
    this.depths.set(depths);
    this.tiles.set(tiles);
  }
}
