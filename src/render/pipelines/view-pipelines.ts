import type { GraphicsPipelineHandle } from '../../rhi/commands/descriptors.js';
import type { PassPolicy } from '../draws/pass-policy.js';
import { PassFormat } from '../keys/pass-format.js';
import { drawsEdges } from './debug-views.js';
import type { PipelineCache } from './pipeline-cache.js';

/** The scene's pipelines for the pass format of one view. Views with the same format share pipelines in the cache. */
export class ViewPipelines implements PassPolicy {
  /** Increases whenever the pass format changes. */
  version = 0;
  readonly #cache: PipelineCache;
  #format: number;

  /** @param format bits of `PassFormat` */
  constructor(cache: PipelineCache, format: number) {
    this.#cache = cache;
    this.#format = format;
  }

  /** Bits of `PassFormat` of the view's scene. */
  get format(): number {
    return this.#format;
  }
  set format(format: number) {
    if (format === this.#format) return;
    this.#format = format;
    this.version++;
  }

  /**
   * Number of sections into which draws are split. The deferred renderer has two: surfaces, then all other
   * draws.
   */
  get sections(): number {
    return this.#cache.hasSurfaces(this.#format) ? 2 : 1;
  }

  /** Called per run if there are two sections. */
  sectionOf(key: number): number {
    return this.#cache.isSurface(key, this.#format) ? 0 : 1;
  }

  get separatesTransmissive(): boolean {
    return this.#cache.separatesTransmissive(this.#format);
  }

  get hasWeights(): boolean {
    return (this.#format & PassFormat.weighted) !== 0;
  }

  get drawsEdges(): boolean {
    return drawsEdges(this.#format);
  }

  isWeighted(key: number): boolean {
    return this.#cache.isWeighted(key, this.#format);
  }

  /** Returns the whole key, because every difference between keys matters to the scene's pass. */
  passKey(pipelineKey: number): number {
    return pipelineKey;
  }

  pipeline(key: number): GraphicsPipelineHandle {
    return this.#cache.pipeline(key, this.#format);
  }
}
