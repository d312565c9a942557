import { grow } from '../../core/memory/grow.js';
import type { LightStore } from '../lights/light-store.js';
import type { ViewParameters } from '../scene/view-parameters.js';
import type { View } from '../views/view.js';
import {
  CLUSTER_COLUMNS,
  CLUSTER_COUNT,
  CLUSTER_ROWS,
  CLUSTER_SLICES,
  GpuClusterGrid,
} from './gpu-cluster-grid.js';
import { LightSphere } from './light-sphere.js';
import { ViewAxes } from './view-axes.js';

/** Maximum number of words in the lists of one view. With more words, clusters cost more than they save. */
const MOST_WORDS = 1 << 20;
/**
 * Minimum depth from which perspective slices are spaced by a constant factor, as a share of the depth at which the
 * farthest light ends.
 */
const NEAREST_SHARE = 1 / 128;
/** Words of a span: light, slice, first and last column, first and last row. */
const SPAN_WORDS = 6;

const at = GpuClusterGrid.at;

/** A view that is cut into clusters. */
interface ClusteredView {
  readonly view: View;
  readonly parameters: ViewParameters;
  /** Size in pixels. */
  readonly targets: { readonly width: number; readonly height: number };
}

/**
 * Finds the lights that reach each part of a view. A view is cut into *clusters*, by columns and rows of its
 * picture and by slices of its depth. Each cluster has a list of the lights that may reach it, in the order
 * of `LightStore.packed`:
 *
 *   light ─► sphere ─► per slice that it touches: the square around its section ─► columns × rows: a span
 *     spans ─► number of lights per cluster ─► where each list begins ─► lists
 *
 * The words of a view begin with `CLUSTER_COUNT` + 1 offsets: the beginning of each cluster's list, and the end
 * of the last list. The lists follow.
 */
export class LightClusterer {
  /** Words of all views. */
  words = new Uint32Array(0);
  /** Number of words in use. */
  length = 0;
  readonly #axes = new ViewAxes();
  readonly #sphere = new LightSphere();
  #spans = new Uint32Array(SPAN_WORDS * 256);
  #spanEnd = 0;
  /** By cluster, while the lists are built: the number of lights, then the end of the list. */
  readonly #ends = new Uint32Array(CLUSTER_COUNT);
  /** Depths at which each slice begins, and the last slice ends, in metres along the view. */
  readonly #depths = new Float64Array(CLUSTER_SLICES + 1);
  #sliceScale = 0;
  #sliceOffset = 0;

  /** Removes all lists, before the views of a frame are added. */
  clear(): void {
    this.length = 0;
  }

  /**
   * Per view: builds the lists.
   * @param out receives a `GpuClusterGrid` from `outAt` on
   * @param outWords the memory of `out`, as 32-bit integers
   * @returns false if the lists would be too long; all lists of the view are then empty
   */
  addView(
    { view, parameters, targets }: ClusteredView,
    lights: LightStore,
    out: Float32Array,
    outWords: Uint32Array,
    outAt: number,
  ): boolean {
    this.#axes.read(view);
    this.#cutDepth(lights, parameters.near);
    this.#spanEnd = 0;
    for (let light = lights.endlessCount; light < lights.count; light++) this.#addSpans(lights, light);
    out[outAt + at.tilesPerPixel] = CLUSTER_COLUMNS / targets.width;
    out[outAt + at.tilesPerPixel + 1] = CLUSTER_ROWS / targets.height;
    out[outAt + at.sliceScale] = this.#sliceScale;
    out[outAt + at.sliceOffset] = this.#sliceOffset;
    outWords[outAt + at.firstCluster] = this.length;
    return this.#writeLists();
  }

  /**
   * Places the slices up to the end of the farthest light. Orthographic slices begin at the nearest light, and are
   * equally deep. In perspective, the depths at which slices end grow by a constant factor, and the first slice begins
   * at the near plane.
   */
  #cutDepth(lights: LightStore, near: number): void {
    const sphere = this.#sphere;
    const depths = this.#depths;
    const { isPerspective } = this.#axes;
    let nearest = Number.POSITIVE_INFINITY;
    let farthest = Number.NEGATIVE_INFINITY;
    for (let light = lights.endlessCount; light < lights.count; light++) {
      sphere.enclose(lights, light, this.#axes);
      nearest = Math.min(nearest, sphere.depth - sphere.radius);
      farthest = Math.max(farthest, sphere.depth + sphere.radius);
    }
    if (isPerspective) {
      farthest = Math.max(farthest, near * 2);
      nearest = Math.max(nearest, near, farthest * NEAREST_SHARE);
      const ratio = farthest / nearest;
      this.#sliceScale = CLUSTER_SLICES / Math.log2(ratio);
      this.#sliceOffset = -Math.log2(nearest) * this.#sliceScale;
      for (let slice = 0; slice <= CLUSTER_SLICES; slice++) {
        depths[slice] = nearest * ratio ** (slice / CLUSTER_SLICES);
      }
      // The first slice also covers everything nearer.
      depths[0] = near;
    } else {
      const length = farthest > nearest ? farthest - nearest : 1;
      if (farthest <= nearest) nearest = 0;
      this.#sliceScale = CLUSTER_SLICES / length;
      this.#sliceOffset = -nearest * this.#sliceScale;
      for (let slice = 0; slice <= CLUSTER_SLICES; slice++) {
        depths[slice] = nearest + (length * slice) / CLUSTER_SLICES;
      }
    }
  }

  #addSpans(lights: LightStore, light: number): void {
    const sphere = this.#sphere;
    const axes = this.#axes;
    const depths = this.#depths;
    sphere.enclose(lights, light, axes);
    const { depth, radius } = sphere;
    if (axes.isPerspective && depth + radius <= (depths[0] as number)) return;
    const first = this.#sliceOf(depth - radius);
    const last = this.#sliceOf(depth + radius);
    for (let slice = first; slice <= last; slice++) {
      const begin = depths[slice] as number;
      const end = depths[slice + 1] as number;
      const distance = Math.max(begin - depth, depth - end, 0);
      const section = Math.sqrt(Math.max(radius * radius - distance * distance, 0));
      const nearer = Math.max(begin, depth - radius);
      const farther = Math.max(Math.min(end, depth + radius), nearer);
      const left = axes.lowest(0, sphere.x - section, nearer, farther);
      const right = axes.highest(0, sphere.x + section, nearer, farther);
      const bottom = axes.lowest(1, sphere.y - section, nearer, farther);
      const top = axes.highest(1, sphere.y + section, nearer, farther);
      if (left > 1 || right < -1 || bottom > 1 || top < -1) continue;
      const to = this.#spanEnd;
      this.#spanEnd += SPAN_WORDS;
      const spans = grow(this.#spans, this.#spanEnd);
      this.#spans = spans;
      spans[to] = light;
      spans[to + 1] = slice;
      spans[to + 2] = tileOf(left, CLUSTER_COLUMNS);
      spans[to + 3] = tileOf(right, CLUSTER_COLUMNS);
      // Rows are counted downwards.
      spans[to + 4] = tileOf(-top, CLUSTER_ROWS);
      spans[to + 5] = tileOf(-bottom, CLUSTER_ROWS);
    }
  }

  #sliceOf(depth: number): number {
    if (this.#axes.isPerspective && depth <= (this.#depths[0] as number)) return 0;
    const value = this.#axes.isPerspective ? Math.log2(depth) : depth;
    const slice = Math.floor(value * this.#sliceScale + this.#sliceOffset);
    return Math.min(Math.max(slice, 0), CLUSTER_SLICES - 1);
  }

  #writeLists(): boolean {
    const first = this.length;
    const ends = this.#ends.fill(0);
    let length = this.#visitSpans(null);
    const isShort = length <= MOST_WORDS;
    if (!isShort) {
      ends.fill(0);
      length = this.#spanEnd = 0;
    }
    let end = first + CLUSTER_COUNT + 1;
    this.words = grow(this.words, end + length);
    const { words } = this;
    for (let cluster = 0; cluster < CLUSTER_COUNT; cluster++) {
      const count = ends[cluster] as number;
      words[first + cluster] = ends[cluster] = end;
      end += count;
    }
    words[first + CLUSTER_COUNT] = end;
    this.length = end;
    this.#visitSpans(words);
    return isShort;
  }

  /**
   * Adds the light of each span to the span's clusters, and advances the positions in `#ends`.
   * @param words receives the lights; null: lights are only counted
   * @returns the number of entries in all lists
   */
  #visitSpans(words: Uint32Array | null): number {
    const spans = this.#spans;
    const ends = this.#ends;
    let count = 0;
    for (let from = 0; from < this.#spanEnd; from += SPAN_WORDS) {
      const light = spans[from] as number;
      const firstColumn = spans[from + 2] as number;
      const lastColumn = spans[from + 3] as number;
      const lastRow = spans[from + 5] as number;
      for (let row = spans[from + 4] as number; row <= lastRow; row++) {
        const rowAt = ((spans[from + 1] as number) * CLUSTER_ROWS + row) * CLUSTER_COLUMNS;
        for (let cluster = rowAt + firstColumn; cluster <= rowAt + lastColumn; cluster++) {
          const end = ends[cluster] as number;
          if (words) words[end] = light;
          ends[cluster] = end + 1;
        }
        count += lastColumn - firstColumn + 1;
      }
    }
    return count;
  }
}

/** Returns the column or row at a clip coordinate. @param place from −1 to 1 across the picture */
function tileOf(place: number, count: number): number {
  return Math.min(Math.max(Math.floor((place * 0.5 + 0.5) * count), 0), count - 1);
}
