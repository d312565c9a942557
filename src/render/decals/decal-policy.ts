import { MaterialFlag, MOST_MATERIAL_TEXTURES } from '../../proxy/materials/material-layout.js';
import type { GraphicsPipelineHandle } from '../../rhi/commands/descriptors.js';
import { countBits } from '../culling/cull-groups.js';
import type { PassPolicy } from '../draws/pass-policy.js';
import { PassFormat } from '../keys/pass-format.js';
import { isTriangles } from '../keys/pipeline-key.js';
import { SCENE_FEATURES } from '../materials/feature-code.js';
import type { PipelineCache } from '../pipelines/pipeline-cache.js';
import type { Scene } from '../scene/scene.js';

/** Flags of materials that take no decals: blended materials, and materials without depth test or depth writes. */
const BARE_FLAGS = MaterialFlag.alphaBlend | MaterialFlag.noDepthTest | MaterialFlag.noDepthWrite;
/**
 * Largest number of textures of a material that takes decals. A decal takes two of the textures that materials may have.
 */
export const MOST_TEXTURES = MOST_MATERIAL_TEXTURES - 2;
/** Bits of a view's pass format that change nothing for surfaces with a decal. */
const IGNORED = PassFormat.deferred | PassFormat.weighted;

/** Draws the opaque surfaces of a view again, with a decal. All decals of a view share the policy. */
export class DecalPolicy implements PassPolicy {
  /** Increases when the pass format changes. */
  version = 0;
  /** Bits of `PassFormat`. */
  format = 0;
  readonly #pipelines: PipelineCache;
  readonly #scene: Scene;

  constructor(pipelines: PipelineCache, scene: Scene) {
    this.#pipelines = pipelines;
    this.#scene = scene;
  }

  /** Per frame: sets the pass format of the view. */
  setFormat(format: number): void {
    const own = (format & ~IGNORED) | PassFormat.decal;
    if (own === this.format) return;
    this.format = own;
    this.version++;
  }

  /**
   * Returns −1 for surfaces that take no decals: lines and points, blended and transmissive surfaces, surfaces without
   * depth, and materials with too many textures.
   */
  passKey(key: number): number {
    const { states } = this.#scene.materials;
    const isBare =
      (states.flagsOf(key) & BARE_FLAGS) !== 0 ||
      (states.featuresOf(key) & SCENE_FEATURES) !== 0 ||
      countBits(states.slotsOf(key)) > MOST_TEXTURES ||
      !isTriangles(key);
    return isBare ? -1 : key;
  }

  pipeline(key: number): GraphicsPipelineHandle {
    return this.#pipelines.pipeline(key, this.format);
  }
}
