import type { FrameGraph } from '../../graph/frame-graph.js';
import type { EffectValues } from '../../proxy/effects.js';
import { type BufferHandle, BufferUsage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { PassFormat } from '../keys/pass-format.js';
import { encodeChannel } from '../keys/tone-curves.js';
import { LinePass } from '../outline/line-pass.js';
import { OutlineMask } from '../outline/mask-pass.js';
import { GpuOutline, OUTLINE_SHADER } from '../outline/outline-shader.js';
import { SpreadDepth } from '../outline/spread-depth.js';
import { ScreenPass, type ScreenTexture } from '../pipelines/screen-pass.js';
import type { ScreenPipelines } from '../pipelines/screen-pipelines.js';
import type { DrawnView } from '../views/drawn-view.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import type { Effect, EffectWorld } from './effect.js';

const { at } = GpuOutline;
const DISTANCE_FORMAT = 'rg16float';

/**
 * Draws a line around actors, such as the selected ones.
 *
 *   [scene depth ─► 4 samples] ─► mask of the actors' surfaces ─► distances along rows ─► line over the picture
 */
export class Outline implements Effect<'outline'> {
  readonly drawsUnmapped = true;
  readonly #rhi: ImmediateContext;
  readonly #screenPipelines: ScreenPipelines;
  readonly #buffer: BufferHandle;
  readonly #uniforms = new Float32Array(GpuOutline.words);
  #options!: EffectValues<'outline'>;
  /** Whether the uploaded colour is a display colour; undefined: the options have changed since the upload. */
  #isSentDisplayed: boolean | undefined;
  /** Pixels of the scene per CSS pixel. */
  #pixelRatio = 0;
  /** Larger side of the whole picture, in pixels of the scene. */
  #size = 1;
  #passes: OutlinePasses | undefined;
  /** Whether the passes have been prepared in this frame. */
  #isPrepared = false;

  constructor(rhi: ImmediateContext, pipelines: ScreenPipelines) {
    this.#rhi = rhi;
    this.#screenPipelines = pipelines;
    this.#buffer = rhi.createBuffer({
      label: 'outline',
      byteLength: GpuOutline.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
  }

  setOptions(options: EffectValues<'outline'>): void {
    this.#options = options;
    this.#isSentDisplayed = undefined;
  }

  prepareView(view: DrawnView, world: EffectWorld): void {
    const { state } = view;
    const { view: camera, targets, region } = state;
    this.#size = Math.max(region?.width ?? targets.width, region?.height ?? targets.height);
    this.#upload(!state.look.hdr, targets.height / camera.viewportHeight);
    this.#passes ??= new OutlinePasses(this.#rhi, this.#screenPipelines, world, state, this.#buffer);
    this.#passes.prepare(view, this.#options);
    this.#isPrepared = true;
  }

  addPasses(graph: FrameGraph, { targets }: SceneViewState): void {
    if (!this.#isPrepared) return;
    this.#isPrepared = false;
    (this.#passes as OutlinePasses).add(graph, targets, this.#options.throughThings);
  }

  reach(size: number): number {
    // The line has the same share of the picture's size as in the latest frame, because both have the same size in CSS
    // pixels.
    return Math.ceil((this.#options.width * this.#pixelRatio * size) / this.#size) + 1;
  }

  dispose(): void {
    this.#passes?.dispose();
    this.#rhi.destroy(this.#buffer);
  }

  #upload(isDisplayed: boolean, pixelRatio: number): void {
    if (isDisplayed === this.#isSentDisplayed && pixelRatio === this.#pixelRatio) return;
    this.#isSentDisplayed = isDisplayed;
    this.#pixelRatio = pixelRatio;
    const { color, width, opacity } = this.#options;
    for (const [channel, value] of color.entries()) {
      this.#uniforms[at.color + channel] = isDisplayed ? encodeChannel(value) : value;
    }
    this.#uniforms[at.width] = width * pixelRatio;
    this.#uniforms[at.opacity] = opacity;
    this.#rhi.writeBuffer(this.#buffer, 0, this.#uniforms);
  }
}

/** The passes of one view. */
class OutlinePasses {
  readonly #rhi: ImmediateContext;
  readonly #suffix: string;
  readonly #mask: OutlineMask;
  readonly #distances: ScreenTexture = { version: undefined };
  readonly #rows: ScreenPass;
  readonly #line: LinePass;
  /** Copies depth to the samples of the mask. Created once the scene has one sample per pixel. */
  #spread: SpreadDepth | undefined;

  constructor(
    rhi: ImmediateContext,
    pipelines: ScreenPipelines,
    world: EffectWorld,
    state: SceneViewState,
    uniforms: BufferHandle,
  ) {
    const { suffix, targets } = state;
    this.#rhi = rhi;
    this.#suffix = suffix;
    this.#mask = new OutlineMask(world, state);
    const { mask } = this.#mask;
    this.#rows = new ScreenPass(rhi, pipelines, {
      shader: OUTLINE_SHADER,
      entryPoint: 'findInRow',
      name: `outline distances${suffix}`,
      uniforms,
      source: { of: mask },
      target: { of: this.#distances },
    });
    this.#rows.createPipeline(DISTANCE_FORMAT);
    this.#line = new LinePass(rhi, pipelines, targets, uniforms, this.#distances, mask, suffix);
  }

  /** Per frame, outside passes: finds the surfaces, and creates missing pipelines. */
  prepare(view: DrawnView, { actors }: EffectValues<'outline'>): void {
    const { width, height, format, sampleCount } = view.state.targets;
    this.#mask.update(view, actors);
    this.#line.createPipeline((format & PassFormat.unmappedTarget) !== 0);
    if (sampleCount === 1) {
      this.#spread ??= new SpreadDepth(this.#rhi, this.#suffix, this.#mask.depthDescriptor);
    }
    const before = this.#distances.descriptor;
    if (before?.width === width && before.height === height) return;
    const name = `outline distances${this.#suffix}`;
    this.#distances.descriptor = { name, width, height, format: DISTANCE_FORMAT };
  }

  /** Per frame: adds the passes, unless the mask is empty. */
  add(graph: FrameGraph, targets: SceneViewState['targets'], isThroughThings: boolean): void {
    if (this.#mask.isEmpty) return;
    this.#mask.depth = isThroughThings ? undefined : targets.depth;
    if (!isThroughThings && targets.sampleCount === 1) {
      const spread = this.#spread as SpreadDepth;
      spread.source = targets.depth;
      graph.addPass(spread);
      this.#mask.depth = spread.result;
    }
    graph.addPass(this.#mask);
    this.#distances.version = undefined;
    graph.addPass(this.#rows);
    graph.addPass(this.#line);
  }

  dispose(): void {
    this.#mask.dispose();
    this.#rows.dispose();
    this.#line.dispose();
    this.#spread?.dispose();
  }
}
