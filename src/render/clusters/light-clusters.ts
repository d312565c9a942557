import clustersCode from '../../../shaders/light-clusters.wgsl?raw';
import { grow } from '../../core/memory/grow.js';
import { type BindGroupEntry, ShaderStage } from '../../rhi/commands/descriptors.js';
import { writeWordsUnordered } from '../../rhi/mapping/unordered-write.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GrowingBuffer } from '../buffers/growing-buffer.js';
import { PassFormat } from '../keys/pass-format.js';
import type { LightStore } from '../lights/light-store.js';
import type { FrameExtension } from '../pipelines/frame-bindings.js';
import type { PassShader } from '../pipelines/pass-shader.js';
import type { DrawnView } from '../views/drawn-view.js';
import { CLUSTER_COLUMNS, CLUSTER_ROWS, CLUSTER_SLICES, GpuClusterGrid } from './gpu-cluster-grid.js';
import { LightClusterer } from './light-clusterer.js';

/** Entries of bind group 0 in the pipelines' layout. Their bindings follow the bindings of deformers. */
const LAYOUT: readonly GPUBindGroupLayoutEntry[] = [16, 17].map((binding) => ({
  binding,
  visibility: ShaderStage.fragment,
  buffer: { type: 'read-only-storage' },
}));

/**
 * Supports hundreds of lights. The mesh shader loops over the lights of the pixel's cluster instead of over
 * all lights. It still loops over all lights that cast shadows and all lights without a range.
 */
export class LightClusters implements FrameExtension, PassShader {
  readonly part = 'clusters';
  readonly passBit = PassFormat.clusters;
  readonly shaderCode = [
    GpuClusterGrid.wgsl,
    `const CLUSTER_TILES = vec2u(${CLUSTER_COLUMNS}u, ${CLUSTER_ROWS}u);\n`,
    `const CLUSTER_SLICES = ${CLUSTER_SLICES}u;\n`,
    clustersCode,
  ].join('');
  readonly layout = LAYOUT;
  readonly #clusterer = new LightClusterer();
  #grids = new Float32Array(GpuClusterGrid.words);
  #gridWords = new Uint32Array(this.#grids.buffer);
  /** Inputs of the last update: matrix and size of each view. */
  #inputs = new Float64Array(0);
  #viewCount = 0;
  /** Number of lights that apply to every pixel of a view, by view. */
  readonly #commonCounts: number[] = [];
  readonly #gridBuffer = new GrowingBuffer('cluster grids');
  readonly #wordBuffer = new GrowingBuffer('lights of clusters');

  readonly #rhi: ImmediateContext;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  get version(): number {
    return this.#gridBuffer.version + this.#wordBuffer.version;
  }

  get entries(): readonly BindGroupEntry[] {
    return [
      { binding: 16, buffer: this.#gridBuffer.handle },
      { binding: 17, buffer: this.#wordBuffer.handle },
    ];
  }

  /**
   * Per frame, outside passes, after lights have been packed: finds the lights that reach each part of each
   * view.
   * @param areLightsNew whether the packed lights have changed since the last frame
   */
  prepare(views: readonly DrawnView[], lights: LightStore, areLightsNew: boolean): void {
    if (!this.#haveViewsChanged(views) && !areLightsNew) return;
    const clusterer = this.#clusterer;
    clusterer.clear();
    const gridLength = views.length * GpuClusterGrid.words;
    if (gridLength > this.#grids.length) {
      this.#grids = grow(this.#grids, gridLength);
      this.#gridWords = new Uint32Array(this.#grids.buffer);
    }
    for (let index = 0; index < views.length; index++) {
      const { state } = views[index] as DrawnView;
      const isCut = clusterer.addView(
        state,
        lights,
        this.#grids,
        this.#gridWords,
        index * GpuClusterGrid.words,
      );
      this.#commonCounts[index] = isCut ? lights.endlessCount : lights.count;
    }
    this.#upload(this.#gridBuffer, this.#gridWords, gridLength);
    this.#upload(this.#wordBuffer, clusterer.words, clusterer.length);
  }

  /**
   * Returns the number of lights that apply to every pixel of a view. Valid after `prepare`.
   * @param index index of the view
   */
  commonLightCount(index: number): number {
    return this.#commonCounts[index] as number;
  }

  dispose(): void {
    this.#gridBuffer.dispose(this.#rhi);
    this.#wordBuffer.dispose(this.#rhi);
  }

  #upload(buffer: GrowingBuffer, words: Uint32Array, length: number): void {
    buffer.reserve(this.#rhi, length * 4);
    writeWordsUnordered(this.#rhi.writer, buffer.handle, 0, words, 0, length);
  }

  /**
   * Stores the sizes and matrices of the views.
   * @returns whether a size, a matrix or the number of views has changed since the last frame
   */
  #haveViewsChanged(views: readonly DrawnView[]): boolean {
    let haveChanged = views.length !== this.#viewCount;
    this.#viewCount = views.length;
    this.#inputs = grow(this.#inputs, views.length * 18);
    const inputs = this.#inputs;
    let at = 0;
    for (let index = 0; index < views.length; index++) {
      const { view, targets } = (views[index] as DrawnView).state;
      const { clipFromWorld } = view;
      for (let element = 0; element < 18; element++, at++) {
        const value =
          element < 16 ? (clipFromWorld[element] as number) : element === 16 ? targets.width : targets.height;
        if (inputs[at] === value) continue;
        inputs[at] = value;
        haveChanged = true;
      }
    }
    return haveChanged;
  }
}
