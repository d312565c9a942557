import code from '../../../shaders/auto-exposure.wgsl?raw';
import type { FrameGraph } from '../../graph/frame-graph.js';
import type { PassBuilder } from '../../graph/graph-pass.js';
import type { EffectValues } from '../../proxy/effects.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuView } from '../buffers/gpu-layouts.js';
import { defineGpuStruct } from '../buffers/gpu-struct.js';
import { ExposurePass } from '../exposure/exposure-pass.js';
import { GpuMeasuredExposure } from '../exposure/gpu-exposure.js';
import type { ScreenPipelines } from '../pipelines/screen-pipelines.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import type { Effect, PixelEffect } from './effect.js';

const GpuAutoExposure = /* @__PURE__ */ defineGpuStruct('AutoExposure', { compensation: 'f32' });

/**
 * Exposes the picture by its own brightness, as a camera or an eye does. A compute pass measures scene colour, and the
 * last pass reads the result in the same frame. Exposure follows changes slowly. It takes the wanted value at once in
 * the first frame of the effect, after a change to another camera, and after a change of the shown size.
 *
 *   scene colour ─► histogram ─► wanted exposure ─► exposure, nearer to the wanted one by the elapsed time ─► last pass
 *
 * A capture has the exposure of the view that it captures. If that view was not drawn, the capture measures its own
 * picture. The tiles of a picture then have the exposure of its overview.
 */
export class AutoExposure implements Effect<'autoExposure'> {
  readonly isGrading = true;
  readonly pixel: PixelEffect;
  readonly #pass: ExposurePass;
  /** Whether the pass belongs to another view, which this view captures. */
  readonly #isCapture: boolean;
  readonly #words = new Float32Array(GpuAutoExposure.words);
  #options!: EffectValues<'autoExposure'>;
  #timeSeconds = 0;
  /** Scene time of the last measured frame. */
  #lastSeconds = 0;
  /** Camera and shown size of the last measured frame. */
  #node = -1;
  #width = 0;
  #height = 0;

  constructor(rhi: ImmediateContext, _pipelines: ScreenPipelines, captured?: Effect<'autoExposure'>) {
    this.#isCapture = captured instanceof AutoExposure;
    this.#pass = captured instanceof AutoExposure ? captured.#pass : new ExposurePass(rhi);
    this.pixel = {
      stage: 'exposure',
      code: `${GpuMeasuredExposure.wgsl}${code}`,
      struct: GpuAutoExposure,
      words: this.#words,
      buffer: this.#pass.measured,
    };
  }

  setOptions(options: EffectValues<'autoExposure'>): void {
    this.#options = options;
    this.#words[0] = 2 ** options.compensation;
  }

  beginFrame(_frame: number, timeSeconds: number): void {
    this.#timeSeconds = timeSeconds;
  }

  addPasses(graph: FrameGraph, view: SceneViewState): void {
    const { parameters, region } = view;
    const { packed } = view.view;
    // The size of the scene may follow the GPU time, which must not restart the exposure.
    const width = packed[GpuView.at.viewportWidth] as number;
    const height = packed[GpuView.at.viewportHeight] as number;
    const isMeasuredTile = region !== undefined && !region.isOverview && this.#width > 0;
    if (this.#isCapture || isMeasuredTile) {
      this.#pass.keep(graph);
      return;
    }
    const isNew = parameters.node !== this.#node || width !== this.#width || height !== this.#height;
    const seconds = Math.max(0, this.#timeSeconds - this.#lastSeconds);
    this.#node = parameters.node;
    this.#width = width;
    this.#height = height;
    this.#lastSeconds = this.#timeSeconds;
    const { minimum, maximum, speedUp, speedDown } = this.#options;
    const least = Math.log2(Math.min(minimum, maximum));
    const up = shareOf(speedUp, seconds);
    const down = shareOf(speedDown, seconds);
    this.#pass.follow(least, Math.log2(maximum), up, down, isNew);
    this.#pass.add(graph, view);
  }

  declareRead(builder: PassBuilder): void {
    this.#pass.declareRead(builder);
  }

  dispose(): void {
    if (!this.#isCapture) this.#pass.dispose();
  }
}

/** Returns the share of the way to the wanted exposure that exposure covers in a time. @param speed rate per second */
const shareOf = (speed: number, seconds: number): number => 1 - Math.exp(-speed * seconds);
