import code from '../../../shaders/ambient-occlusion.wgsl?raw';
import coverCode from '../../../shaders/cover-target.wgsl?raw';
import type { FrameGraph } from '../../graph/frame-graph.js';
import type { GraphTexture } from '../../graph/graph-pass.js';
import type { EffectValues } from '../../proxy/effects.js';
import { type BufferHandle, BufferUsage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { defineGpuStruct } from '../buffers/gpu-struct.js';
import { ScreenPass, type ScreenTexture } from '../pipelines/screen-pass.js';
import type { ScreenPipelines } from '../pipelines/screen-pipelines.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import { ViewRays } from './view-rays.js';

const GpuAmbientOcclusion = /* @__PURE__ */ defineGpuStruct('AmbientOcclusion', {
  /** Metres per unit of normalized device coordinates, at a distance of 1 m. */
  metres: 'vec2f',
  /** Normalized device coordinates of the camera's axis. */
  ndcOffset: 'vec2f',
  /** Pixels per metre, at a distance of 1 m. */
  pixels: 'vec2f',
  /** Perspective: depth = offset ÷ distance − scale. Orthographic: depth = offset − scale × distance. */
  depthScale: 'f32',
  depthOffset: 'f32',
  isOrthographic: 'f32',
  radius: 'f32',
  intensity: 'f32',
  power: 'f32',
  /** Number of slices, and of samples in each direction of a slice. */
  slices: 'f32',
  steps: 'f32',
});
const { at } = GpuAmbientOcclusion;

/** Slices and steps by quality, from 1 on. */
const SAMPLES = [
  [1, 4],
  [1, 8],
  [2, 12],
  [3, 16],
] as const;

const SHADER = { label: 'ambient occlusion', code: `${GpuAmbientOcclusion.wgsl}${coverCode}${code}` };

/** The passes that compute the ambient occlusion of one view from its depth. */
export class VisibilityPasses {
  readonly #rhi: ImmediateContext;
  readonly #pipelines: ScreenPipelines;
  readonly #buffer: BufferHandle;
  readonly #uniforms = new Float32Array(GpuAmbientOcclusion.words);
  readonly #sent = new Float32Array(GpuAmbientOcclusion.words).fill(Number.NaN);
  readonly #rays = new ViewRays();
  readonly #depth: ScreenTexture = { version: undefined };
  readonly #furtherDepth: ScreenTexture = { version: undefined };
  readonly #viewDepth: ScreenTexture = { version: undefined };
  readonly #visibility: ScreenTexture = { version: undefined };
  readonly #result: ScreenTexture = { version: undefined };
  #passes: Passes | undefined;

  constructor(rhi: ImmediateContext, pipelines: ScreenPipelines) {
    this.#rhi = rhi;
    this.#pipelines = pipelines;
    this.#buffer = rhi.createBuffer({
      label: 'ambient occlusion',
      byteLength: GpuAmbientOcclusion.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
  }

  setOptions({ radius, intensity, power, quality }: EffectValues<'ambientOcclusion'>): void {
    const uniforms = this.#uniforms;
    const [slices, steps] = SAMPLES[quality - 1] as (typeof SAMPLES)[number];
    uniforms[at.radius] = radius;
    uniforms[at.intensity] = intensity;
    uniforms[at.power] = power;
    uniforms[at.slices] = slices;
    uniforms[at.steps] = steps;
  }

  /** Visibility and distance of each pixel's surface. Valid after `add`, in the same frame. */
  get result(): GraphTexture {
    return this.#result.version as GraphTexture;
  }

  /** Per frame, outside passes: adopts the view's size, and uploads settings that have changed. */
  prepare({ view, parameters, targets, suffix }: SceneViewState): void {
    const { width, height } = targets;
    const uniforms = this.#uniforms;
    const rays = this.#rays;
    rays.update(view, parameters);
    for (let axis = 0; axis < 2; axis++) {
      const scale = rays.scale[axis] as number;
      uniforms[at.metres + axis] = 1 / scale;
      uniforms[at.ndcOffset + axis] = rays.offset[axis] as number;
      uniforms[at.pixels + axis] = (scale * (axis === 0 ? width : height)) / 2;
    }
    uniforms[at.depthScale] = rays.depthScale;
    uniforms[at.depthOffset] = rays.depthOffset;
    uniforms[at.isOrthographic] = rays.isOrthographic ? 1 : 0;
    let isSame = true;
    for (let word = 0; word < uniforms.length; word++) isSame &&= uniforms[word] === this.#sent[word];
    if (!isSame) this.#rhi.writeBuffer(this.#buffer, 0, uniforms);
    this.#sent.set(uniforms);
    this.#passes ??= this.#createPasses(suffix);
    this.#resize(width, height, suffix);
  }

  /** Per frame: adds the passes. @param furtherDepth depth of surfaces that are missing in `depth` */
  add(graph: FrameGraph, depth: GraphTexture | undefined, furtherDepth: GraphTexture | undefined): void {
    const passes = this.#passes as Passes;
    this.#depth.version = depth;
    this.#furtherDepth.version = furtherDepth;
    this.#viewDepth.version = this.#visibility.version = this.#result.version = undefined;
    graph.addPass(furtherDepth === undefined ? passes.distance : passes.nearerDistance);
    graph.addPass(passes.visibility);
    graph.addPass(passes.smoothing);
  }

  dispose(): void {
    for (const pass of Object.values(this.#passes ?? {})) pass.dispose();
    this.#rhi.destroy(this.#buffer);
  }

  #createPasses(suffix: string): Passes {
    const rhi = this.#rhi;
    const pipelines = this.#pipelines;
    const shared = { shader: SHADER, uniforms: this.#buffer };
    const distance = {
      ...shared,
      name: `view depth${suffix}`,
      source: { of: this.#depth },
      target: { of: this.#viewDepth },
    };
    return {
      distance: new ScreenPass(rhi, pipelines, {
        ...distance,
        entryPoint: 'writeViewDepth',
        sampleTypes: ['depth'],
      }),
      nearerDistance: new ScreenPass(rhi, pipelines, {
        ...distance,
        entryPoint: 'writeNearerViewDepth',
        second: { of: this.#furtherDepth },
        sampleTypes: ['depth', 'depth'],
      }),
      visibility: new ScreenPass(rhi, pipelines, {
        ...shared,
        entryPoint: 'findVisibility',
        name: `ambient occlusion${suffix}`,
        source: { of: this.#viewDepth },
        sampleTypes: ['unfilterable-float'],
        target: { of: this.#visibility },
      }),
      smoothing: new ScreenPass(rhi, pipelines, {
        ...shared,
        entryPoint: 'smoothVisibility',
        name: `smoothed ambient occlusion${suffix}`,
        source: { of: this.#visibility },
        target: { of: this.#result },
      }),
    };
  }

  #resize(width: number, height: number, suffix: string): void {
    const before = this.#result.descriptor;
    if (before?.width === width && before.height === height) return;
    const size = { width, height };
    this.#viewDepth.descriptor = { name: `view depth${suffix}`, ...size, format: 'r32float' };
    this.#visibility.descriptor = { name: `ambient occlusion${suffix}`, ...size, format: 'rg16float' };
    this.#result.descriptor = { name: `smoothed ambient occlusion${suffix}`, ...size, format: 'rg16float' };
  }
}

interface Passes {
  readonly distance: ScreenPass;
  readonly nearerDistance: ScreenPass;
  readonly visibility: ScreenPass;
  readonly smoothing: ScreenPass;
}
