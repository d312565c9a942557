import code from '../../../shaders/bloom.wgsl?raw';
import coverCode from '../../../shaders/cover-target-uv.wgsl?raw';
import type { FrameGraph } from '../../graph/frame-graph.js';
import type { GraphTexture, GraphTextureDescriptor } from '../../graph/graph-pass.js';
import type { EffectValues } from '../../proxy/effects.js';
import {
  type BufferHandle,
  BufferUsage,
  type TextureHandle,
  TextureUsage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { defineGpuStruct } from '../buffers/gpu-struct.js';
import { DISPLAY_BITS } from '../keys/pass-format.js';
import { ScreenPass, type ScreenTexture } from '../pipelines/screen-pass.js';
import type { ScreenPipelines } from '../pipelines/screen-pipelines.js';
import type { SceneTargets } from '../views/scene-targets.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import type { ViewRegion } from '../views/view-region.js';
import type { Effect } from './effect.js';

const GpuBloom = /* @__PURE__ */ defineGpuStruct('Bloom', {
  amount: 'f32',
  radius: 'f32',
  threshold: 'f32',
  /** Origin and size of the drawn part, in shares of the picture whose levels are read. */
  origin: 'vec2f',
  size: 'vec2f',
});
const { at } = GpuBloom;

const SHADER = { label: 'bloom', code: `${GpuBloom.wgsl}${coverCode}${code}` };
const LINEAR = { isDisplayed: 0 };
const DISPLAYED = { isDisplayed: 1 };

/**
 * Scatters a part of the light around bright places, as a lens does. No light is gained or lost.
 *
 *   scene colour ─► level 0 ─► level 1 ─► … ─► level n       each half as large: weighted averages
 *        │          sum 0 ◄── sum 1 ◄── … ◄── level n        each: mix(level, smoothed smaller sum, radius)
 *        ▼            │
 *   scene colour + amount · (smoothed sum 0 − scattered light of the pixel)
 *
 * A picture that is drawn in parts has levels of the whole picture, so that light crosses the edges of parts.
 */
export class Bloom implements Effect<'bloom'> {
  readonly #rhi: ImmediateContext;
  readonly #pipelines: ScreenPipelines;
  readonly #uniforms = new Float32Array(GpuBloom.words);
  #threshold = 0;
  /** Whether the uniforms differ from the buffer. */
  #isChanged = true;
  readonly #buffer: BufferHandle;
  #passes: BloomPasses | undefined;

  constructor(rhi: ImmediateContext, pipelines: ScreenPipelines) {
    this.#rhi = rhi;
    this.#pipelines = pipelines;
    this.#buffer = rhi.createBuffer({
      label: 'bloom',
      byteLength: GpuBloom.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
  }

  setOptions({ amount, radius, threshold }: EffectValues<'bloom'>): void {
    this.#set(at.amount, amount);
    this.#set(at.radius, radius);
    this.#threshold = threshold;
  }

  addPasses(graph: FrameGraph, { targets, look, suffix, region }: SceneViewState): void {
    this.#passes ??= new BloomPasses(this.#rhi, this.#pipelines, this.#buffer, suffix);
    // The threshold is a brightness of the picture. Scene colour is exposed later, unless it holds display colours.
    const exposure = targets.format & DISPLAY_BITS ? 1 : Math.max(look.exposure, 1e-6);
    this.#set(at.threshold, this.#threshold / exposure);
    this.#set(at.origin, region ? region.x / region.width : 0);
    this.#set(at.origin + 1, region ? region.y / region.height : 0);
    this.#set(at.size, region ? targets.width / region.width : 1);
    this.#set(at.size + 1, region ? targets.height / region.height : 1);
    if (this.#isChanged) this.#rhi.writeBuffer(this.#buffer, 0, this.#uniforms);
    this.#isChanged = false;
    this.#passes.add(graph, targets, region);
  }

  dispose(): void {
    this.#passes?.dispose();
    this.#rhi.destroy(this.#buffer);
  }

  #set(word: number, value: number): void {
    const rounded = Math.fround(value);
    if (this.#uniforms[word] === rounded) return;
    this.#uniforms[word] = rounded;
    this.#isChanged = true;
  }
}

/** The passes of one view. */
class BloomPasses {
  readonly #rhi: ImmediateContext;
  readonly #suffix: string;
  /** Sums of the whole picture, for its parts. */
  #wholeSums: TextureHandle | undefined;
  readonly #scene: ScreenTexture = { version: undefined };
  readonly #levels: ScreenTexture = { version: undefined };
  readonly #sums: ScreenTexture = { version: undefined };
  readonly #result: ScreenTexture = { version: undefined };
  #levelCount = 0;
  readonly #down: ScreenPass[] = [];
  readonly #up: ScreenPass[] = [];
  readonly #scatter: ScreenPass;
  readonly #createDown: (level: number) => ScreenPass;
  readonly #createUp: (level: number) => ScreenPass;

  constructor(rhi: ImmediateContext, pipelines: ScreenPipelines, uniforms: BufferHandle, suffix: string) {
    this.#rhi = rhi;
    this.#suffix = suffix;
    const shared = { shader: SHADER, uniforms };
    const [scene, levels, sums] = [this.#scene, this.#levels, this.#sums];
    this.#createDown = (level) =>
      new ScreenPass(rhi, pipelines, {
        ...shared,
        entryPoint: level === 0 ? 'gatherLight' : 'halveLight',
        name: `bloom, level ${level}${suffix}`,
        source: level === 0 ? { of: scene } : { of: levels, level: level - 1 },
        target: { of: levels, level },
      });
    this.#createUp = (level) =>
      new ScreenPass(rhi, pipelines, {
        ...shared,
        entryPoint: 'addLevels',
        name: `bloom, sum ${level}${suffix}`,
        source: { of: levels, level },
        // The smallest level is its own sum.
        second: { of: level === this.#levelCount - 2 ? levels : sums, level: level + 1 },
        target: { of: sums, level },
      });
    this.#scatter = new ScreenPass(rhi, pipelines, {
      ...shared,
      entryPoint: 'scatterLight',
      name: `bloom${suffix}`,
      source: { of: scene },
      second: { of: sums },
      target: { of: this.#result },
    });
  }

  /** Per frame: adds the passes, and replaces scene colour. */
  add(graph: FrameGraph, targets: SceneTargets, region: ViewRegion | undefined): void {
    const hasWhole = region && (region.isOverview || this.#wholeSums !== undefined);
    const drawsLevels = !hasWhole || region.isOverview;
    this.#resize(targets, drawsLevels);
    this.#scene.version = targets.color;
    this.#levels.version = this.#result.version = undefined;
    this.#sums.version = hasWhole ? this.#importSums(graph) : undefined;
    if (drawsLevels) {
      for (const pass of this.#down) graph.addPass(pass);
      for (const pass of this.#up) graph.addPass(pass);
    }
    graph.addPass(this.#scatter);
    targets.color = this.#result.version ?? targets.color;
  }

  dispose(): void {
    for (const pass of [...this.#down, ...this.#up, this.#scatter]) pass.dispose();
    this.#rhi.destroy(this.#wholeSums);
  }

  #importSums(graph: FrameGraph): GraphTexture {
    const descriptor = this.#sums.descriptor as GraphTextureDescriptor;
    const { name, ...size } = descriptor;
    this.#wholeSums ??= this.#rhi.createTexture({
      label: name,
      ...size,
      usage: TextureUsage.renderAttachment | TextureUsage.textureBinding,
    });
    return graph.importTexture(descriptor, this.#wholeSums);
  }

  /** Describes the textures in the size and format of the view, and creates passes for their levels. */
  #resize({ width, height, format, colorFormat }: SceneTargets, drawsLevels: boolean): void {
    const constants = format & DISPLAY_BITS ? DISPLAYED : LINEAR;
    const before = this.#result.descriptor;
    const isSame = before?.width === width && before.height === height && before.format === colorFormat;
    if (isSame && this.#scatter.constants === constants) return;
    this.#scatter.constants = constants;
    this.#result.descriptor = { name: `bloom: result${this.#suffix}`, width, height, format: colorFormat };
    if (!drawsLevels) return;
    const half = { width: Math.max(2, width >> 1), height: Math.max(2, height >> 1) };
    // The number of levels grows with the size, so light spreads over the same share of every picture.
    this.#setLevelCount(Math.max(2, Math.floor(Math.log2(Math.min(half.width, half.height)))));
    const levels = { ...half, format: 'rgba16float', mipLevelCount: this.#levelCount } as const;
    this.#levels.descriptor = { name: `bloom: levels${this.#suffix}`, ...levels };
    this.#sums.descriptor = { name: `bloom: sums${this.#suffix}`, ...levels };
    // This pass reads scene colour, as `scatter` does.
    (this.#down[0] as ScreenPass).constants = constants;
  }

  #setLevelCount(count: number): void {
    if (count === this.#levelCount) return;
    for (const pass of [...this.#down, ...this.#up]) pass.dispose();
    this.#levelCount = count;
    this.#down.length = this.#up.length = 0;
    for (let level = 0; level < count; level++) this.#down.push(this.#createDown(level));
    for (let level = count - 2; level >= 0; level--) this.#up.push(this.#createUp(level));
  }
}
