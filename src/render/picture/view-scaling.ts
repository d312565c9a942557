import coverCode from '../../../shaders/cover-target-uv.wgsl?raw';
import code from '../../../shaders/picture-scaling.wgsl?raw';
import type { FrameGraph } from '../../graph/frame-graph.js';
import { type BufferHandle, BufferUsage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { defineGpuStruct } from '../buffers/gpu-struct.js';
import { DISPLAY_BITS } from '../keys/pass-format.js';
import { ScreenPass, type ScreenTexture } from '../pipelines/screen-pass.js';
import type { ScreenPipelines } from '../pipelines/screen-pipelines.js';
import type { SceneViewState } from '../views/scene-view-state.js';

const GpuScaling = /* @__PURE__ */ defineGpuStruct('Scaling', {
  /** Factor on light before tone mapping. */
  exposure: 'f32',
  /** Texels of the scene per pixel of the shown picture, along X and Y. */
  factor: 'vec2f',
});
const { at } = GpuScaling;

const SHADER = { label: 'scaling', code: `${GpuScaling.wgsl}${coverCode}${code}` };
const LIGHT = { isLight: 1 };
const COLORS = { isLight: 0 };

/** Passes for scene colour and for unmapped colour. */
interface ScalingPasses {
  readonly scene: ScreenPass;
  readonly unmapped: ScreenPass;
}

/**
 * Scales the scene of a view to the size in which it is shown, before tone mapping. All passes after the scaling draw
 * in that size.
 *
 *   scene colour ─► effects ─► enlarge or reduce ─► scene colour, full size ─► tone mapping
 *   unmapped colour ─────────► enlarge or reduce ─► unmapped colour, full size ──┘
 */
export class ViewScaling {
  readonly #rhi: ImmediateContext;
  readonly #state: SceneViewState;
  readonly #buffer: BufferHandle;
  readonly #uniforms = new Float32Array(GpuScaling.words);
  readonly #sent = new Float32Array(GpuScaling.words).fill(Number.NaN);
  readonly #scene: ScreenTexture = { version: undefined };
  readonly #unmapped: ScreenTexture = { version: undefined };
  readonly #result: ScreenTexture = { version: undefined };
  readonly #unmappedResult: ScreenTexture = { version: undefined };
  readonly #enlarging: ScalingPasses;
  readonly #reducing: ScalingPasses;
  #width = 0;
  #height = 0;

  constructor(rhi: ImmediateContext, pipelines: ScreenPipelines, state: SceneViewState) {
    this.#rhi = rhi;
    this.#state = state;
    this.#buffer = rhi.createBuffer({
      label: 'scaling',
      byteLength: GpuScaling.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
    const shared = { shader: SHADER, uniforms: this.#buffer };
    const { suffix } = state;
    const create = (entryPoint: string): ScalingPasses => {
      const scene = new ScreenPass(rhi, pipelines, {
        ...shared,
        entryPoint,
        name: `scaling${suffix}`,
        source: { of: this.#scene },
        target: { of: this.#result },
      });
      const unmapped = new ScreenPass(rhi, pipelines, {
        ...shared,
        entryPoint,
        name: `scaling of unmapped colours${suffix}`,
        source: { of: this.#unmapped },
        target: { of: this.#unmappedResult },
      });
      unmapped.constants = COLORS;
      return { scene, unmapped };
    };
    this.#enlarging = create('enlarge');
    this.#reducing = create('reduce');
  }

  /** Per frame, outside passes: sets the size of the shown picture, in pixels. */
  resize(width: number, height: number): void {
    this.#width = width;
    this.#height = height;
  }

  /**
   * Per frame with another size of the scene, after the passes of the scene and of effects: adds the passes. The scaled
   * colours replace the colours in the scene's targets.
   */
  addPasses(graph: FrameGraph): void {
    const { targets, look } = this.#state;
    const isReduced = targets.width > this.#width || targets.height > this.#height;
    const { scene, unmapped } = isReduced ? this.#reducing : this.#enlarging;
    this.#write(look.exposure);
    this.#describe();
    scene.constants = targets.format & DISPLAY_BITS ? COLORS : LIGHT;
    this.#scene.version = targets.color;
    this.#result.version = this.#unmappedResult.version = undefined;
    graph.addPass(scene);
    targets.color = this.#result.version ?? targets.color;
    if (targets.unmappedColor === undefined) return;
    this.#unmapped.version = targets.unmappedColor;
    graph.addPass(unmapped);
    targets.unmappedColor = this.#unmappedResult.version;
  }

  dispose(): void {
    for (const { scene, unmapped } of [this.#enlarging, this.#reducing]) {
      scene.dispose();
      unmapped.dispose();
    }
    this.#rhi.destroy(this.#buffer);
  }

  #write(exposure: number): void {
    const { targets } = this.#state;
    const uniforms = this.#uniforms;
    uniforms[at.exposure] = exposure;
    uniforms[at.factor] = targets.width / this.#width;
    uniforms[at.factor + 1] = targets.height / this.#height;
    let isSame = true;
    for (let word = 0; word < uniforms.length; word++) isSame &&= uniforms[word] === this.#sent[word];
    if (isSame) return;
    this.#sent.set(uniforms);
    this.#rhi.writeBuffer(this.#buffer, 0, uniforms);
  }

  /** Describes the textures of the scaled colours. */
  #describe(): void {
    const { targets, suffix } = this.#state;
    const [width, height] = [this.#width, this.#height];
    const format = targets.colorFormat;
    const before = this.#result.descriptor;
    if (before?.width === width && before.height === height && before.format === format) return;
    this.#result.descriptor = { name: `scaled colour${suffix}`, width, height, format };
    this.#unmappedResult.descriptor = { name: `scaled unmapped colour${suffix}`, width, height, format };
  }
}
