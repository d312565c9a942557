import { type CaptureTile, captureTiles, MOST_PIXELS_AT_ONCE } from '../../proxy/capture-tiles.js';
import type { CaptureFrame } from './captured-view.js';
import { sampleOffsets } from './sample-offsets.js';

/** A request for a picture. */
export interface CaptureRequest {
  /** Request number of the first tile. The next tiles have the next numbers. */
  readonly request: number;
  /** Id of the view; NO_ID: all views on the surface. */
  readonly view: number;
  readonly width: number;
  readonly height: number;
  /** Number of samples that are averaged; 0: the looks of the views decide the number. */
  readonly samples: number;
}

/** Least and largest width of the margin around a tile that effects may read, in pixels. Both are multiples of 16. */
const LEAST_MARGIN = 128;
const MOST_MARGIN = 512;

/**
 * The command lists of a capture. A picture of several tiles begins with an overview, which draws the whole picture
 * smaller, for effects that need all of it. Each of its tiles is drawn with a margin, so that effects read the right
 * pixels beyond the edges of the tile.
 *
 *   [overview] │ tile 0, sample 0 │ tile 0, sample 1 … │ tile 1, sample 0 …
 */
export class RunningCapture {
  readonly request: CaptureRequest;
  readonly tiles: readonly CaptureTile[];
  readonly #offsets: Float64Array;
  /** Height of the view on the screen, in CSS pixels; 0: unknown. */
  readonly #shownHeight: number;
  /** Index of the next tile; −1: the overview. */
  #tile: number;
  #sample = 0;

  /** @param shownHeight height of the view on the screen, in CSS pixels; 0: unknown */
  constructor(request: CaptureRequest, shownHeight: number) {
    this.request = request;
    this.tiles = captureTiles(request.width, request.height);
    this.#offsets = sampleOffsets(request.samples);
    this.#shownHeight = shownHeight;
    this.#tile = this.tiles.length > 1 ? -1 : 0;
  }

  get isDone(): boolean {
    return this.#tile === this.tiles.length;
  }

  get isOverview(): boolean {
    return this.#tile < 0;
  }

  /** Index of the sample that the next list draws. */
  get sample(): number {
    return this.#sample;
  }

  get isLastSample(): boolean {
    return this.#sample === this.request.samples - 1;
  }

  get tile(): CaptureTile {
    return this.tiles[this.#tile] as CaptureTile;
  }

  /** Request number of the tile of the next list. */
  get tileRequest(): number {
    return this.request.request + this.#tile;
  }

  /** Returns the part that the next list draws. @param reach distance in pixels from which effects read pixels */
  frame(reach: number): CaptureFrame {
    const { width, height } = this.request;
    if (this.isOverview) {
      const scale = MOST_PIXELS_AT_ONCE / Math.max(width, height);
      const size = {
        width: Math.max(1, Math.round(width * scale)),
        height: Math.max(1, Math.round(height * scale)),
      };
      return {
        ...size,
        target: { x: 0, y: 0, ...size },
        offsetX: 0,
        offsetY: 0,
        pixelRatio: this.#pixelRatio(size.height),
        isTiled: true,
        isOverview: true,
      };
    }
    const isTiled = this.tiles.length > 1;
    const margin = isTiled ? marginFor(reach) : 0;
    return {
      width,
      height,
      target: withMargin(this.tile, margin, width, height),
      offsetX: this.#offsets[this.#sample * 2] as number,
      offsetY: this.#offsets[this.#sample * 2 + 1] as number,
      pixelRatio: this.#pixelRatio(height),
      isTiled,
      isOverview: false,
    };
  }

  /** Goes on to the next list. */
  advance(): void {
    if (!this.isOverview && !this.isLastSample) {
      this.#sample++;
      return;
    }
    this.#sample = 0;
    this.#tile++;
  }

  #pixelRatio(height: number): number {
    return this.#shownHeight > 0 ? height / this.#shownHeight : 1;
  }
}

/** Returns the margin in pixels. It is a multiple of 16, because effects compute one value for up to 16 × 16 pixels. */
const marginFor = (reach: number): number =>
  Math.min(MOST_MARGIN, Math.max(LEAST_MARGIN, Math.ceil(reach / 16) * 16));

function withMargin(tile: CaptureTile, margin: number, width: number, height: number): CaptureTile {
  const x = Math.max(0, tile.x - margin);
  const y = Math.max(0, tile.y - margin);
  return {
    x,
    y,
    width: Math.min(width, tile.x + tile.width + margin) - x,
    height: Math.min(height, tile.y + tile.height + margin) - y,
  };
}
