import coverCode from '../../../../shaders/cover-target.wgsl?raw';
import code from '../../../../shaders/nearest-depth.wgsl?raw';
import type { FrameGraph } from '../../../graph/frame-graph.js';
import type { GraphTexture } from '../../../graph/graph-pass.js';
import type { ImmediateContext } from '../../../rhi/record/immediate-context.js';
import { ScreenPass, type ScreenTexture } from '../../pipelines/screen-pass.js';
import type { ScreenPipelines } from '../../pipelines/screen-pipelines.js';

const SHADER = { label: 'nearest depth', code: `${coverCode}${code}` };
const FORMAT = 'r32float';
/** Largest number of levels. A texel of the last one covers 128 × 128 pixels. */
const MOST_LEVELS = 7;

/**
 * The nearest depths of a view's surfaces, in squares of pixels. A ray that stays nearer than a square skips it.
 *
 *   depth ──► level 0: 2 × 2 pixels ──► level 1: 4 × 4 ──► level 2: 8 × 8 …
 *
 * The last column and the last row of a level also cover the pixels that are left over.
 */
export class DepthLevels {
  readonly texture: ScreenTexture = { version: undefined };
  readonly #name: string;
  readonly #depth: ScreenTexture = { version: undefined };
  /** Passes by the level that they draw. */
  readonly #passes: readonly ScreenPass[];

  /** @param suffix suffix of the names of passes and texture */
  constructor(rhi: ImmediateContext, pipelines: ScreenPipelines, suffix: string) {
    this.#name = `nearest depth${suffix}`;
    const target = this.texture;
    this.#passes = Array.from({ length: MOST_LEVELS }, (_, level) => {
      const pass = new ScreenPass(rhi, pipelines, {
        shader: SHADER,
        entryPoint: 'writeNearestDepth',
        name: `${this.#name}, level ${level}`,
        sampleTypes: ['unfilterable-float'],
        source: level === 0 ? { of: this.#depth } : { of: target, level: level - 1 },
        target: { of: target, level },
      });
      if (level === 0) pass.createPipeline(FORMAT);
      return pass;
    });
  }

  /** Per frame: adds the passes. @param width width of `depth` in pixels */
  addPasses(graph: FrameGraph, depth: GraphTexture, width: number, height: number): void {
    this.#resize(Math.max(1, width >> 1), Math.max(1, height >> 1));
    this.texture.version = undefined;
    this.#depth.version = depth;
    const { mipLevelCount = 1 } = this.texture.descriptor ?? {};
    for (let level = 0; level < mipLevelCount; level++) graph.addPass(this.#passes[level] as ScreenPass);
  }

  dispose(): void {
    for (const pass of this.#passes) pass.dispose();
  }

  #resize(width: number, height: number): void {
    const { descriptor } = this.texture;
    if (descriptor?.width === width && descriptor.height === height) return;
    const levels = Math.floor(Math.log2(Math.max(width, height))) + 1;
    this.texture.descriptor = {
      name: this.#name,
      width,
      height,
      format: FORMAT,
      mipLevelCount: Math.min(MOST_LEVELS, levels),
    };
  }
}
