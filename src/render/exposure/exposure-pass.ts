import code from '../../../shaders/luminance-histogram.wgsl?raw';
import type { FrameGraph } from '../../graph/frame-graph.js';
import type {
  GraphBuffer,
  GraphPass,
  GraphTexture,
  PassBuilder,
  PassContext,
} from '../../graph/graph-pass.js';
import {
  type BindGroupHandle,
  type BindGroupLayoutHandle,
  type BufferHandle,
  BufferUsage,
  type ComputePipelineHandle,
  type ShaderModuleHandle,
  ShaderStage,
  type TextureHandle,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { DISPLAY_BITS } from '../keys/pass-format.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import { BIN_COUNT, GpuAdaptation, GpuMeasuredExposure } from './gpu-exposure.js';

/** Width and height of the tile that a workgroup of `countPixels` counts, in pixels. */
const TILE = 32;

const CODE = `const BIN_COUNT = ${BIN_COUNT}u;\n${GpuMeasuredExposure.wgsl}${GpuAdaptation.wgsl}${code}`;

/**
 * Measures the exposure of one view, in a compute pass. The measured exposure stays in its buffer between frames. The
 * last pass of the view reads it.
 *
 *   scene colour ─► countPixels ─► histogram, 256 bins ─► adapt ─► measured exposure ─► last pass
 *                                           ▲               │ ▲
 *                                           └─── clears it ─┘ └─ adaptation of this frame
 */
export class ExposurePass implements GraphPass {
  readonly kind = 'compute';
  #name = '';
  /** Buffer of the structure `MeasuredExposure`. */
  readonly measured: BufferHandle;
  readonly #rhi: ImmediateContext;
  readonly #histogram: BufferHandle;
  readonly #adaptation: BufferHandle;
  readonly #layout: BindGroupLayoutHandle;
  readonly #module: ShaderModuleHandle;
  #descriptor = { name: 'exposure', byteLength: GpuMeasuredExposure.byteLength };
  readonly #words = new Uint32Array(GpuAdaptation.words);
  readonly #floats = new Float32Array(this.#words.buffer);
  /** Words that the buffer holds. */
  readonly #sent = new Uint32Array(GpuAdaptation.words).fill(0xffffffff);
  #pipelines: readonly [count: ComputePipelineHandle, adapt: ComputePipelineHandle] | undefined;
  #isDisplayed = false;
  #bindGroup: BindGroupHandle | undefined;
  /** Texture in the bind group. */
  #bound: TextureHandle | undefined;
  #color!: GraphTexture;
  #version!: GraphBuffer;
  #width = 0;
  #height = 0;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
    const label = 'exposure';
    const { byteLength } = GpuMeasuredExposure;
    const storage = BufferUsage.storage | BufferUsage.copyTarget;
    const buffer = (byteLength: number, usage: number) => rhi.createBuffer({ label, byteLength, usage });
    this.measured = buffer(byteLength, storage | BufferUsage.uniform);
    this.#histogram = buffer(BIN_COUNT * 4, storage);
    this.#adaptation = buffer(GpuAdaptation.byteLength, BufferUsage.uniform | BufferUsage.copyTarget);
    const visibility = ShaderStage.compute;
    this.#layout = rhi.createBindGroupLayout({
      label,
      entries: [
        { binding: 0, visibility, texture: { sampleType: 'unfilterable-float' } },
        { binding: 1, visibility, buffer: { type: 'storage' } },
        { binding: 2, visibility, buffer: { type: 'storage' } },
        { binding: 3, visibility, buffer: { type: 'uniform' } },
      ],
    });
    this.#module = rhi.createShaderModule({ label, code: CODE });
  }

  get name(): string {
    return this.#name;
  }

  /**
   * Per frame, outside passes: uploads the adaptation of this frame if it has changed.
   * @param minimum, maximum range of the exposure in stops, which are log2 of factors
   * @param upShare, downShare shares of the distance to the wanted exposure that this frame covers: for exposure that
   *   increases, and for exposure that decreases
   * @param isNew whether the wanted exposure applies at once
   */
  follow(minimum: number, maximum: number, upShare: number, downShare: number, isNew: boolean): void {
    const { at } = GpuAdaptation;
    const floats = this.#floats;
    floats[at.minimum] = minimum;
    floats[at.maximum] = maximum;
    floats[at.upShare] = upShare;
    floats[at.downShare] = downShare;
    const words = this.#words;
    words[at.isNew] = isNew ? 1 : 0;
    let isSame = true;
    for (let word = 0; word < words.length; word++) isSame &&= words[word] === this.#sent[word];
    if (isSame) return;
    this.#sent.set(words);
    this.#rhi.writeBuffer(this.#adaptation, 0, words);
  }

  /** Per frame: adds the pass, which measures the scene colour of the view. */
  add(graph: FrameGraph, { targets, suffix }: SceneViewState): void {
    if (this.#name === '') {
      this.#name = `exposure${suffix}`;
      this.#descriptor = { ...this.#descriptor, name: this.#name };
    }
    const isDisplayed = (targets.format & DISPLAY_BITS) !== 0;
    if (isDisplayed !== this.#isDisplayed) this.#forgetPipelines();
    this.#isDisplayed = isDisplayed;
    this.#color = targets.color;
    this.#width = targets.width;
    this.#height = targets.height;
    this.#version = graph.importBuffer(this.#descriptor, this.measured);
    graph.addPass(this);
  }

  /** Per frame, instead of `add`: imports the exposure of an earlier frame, which no pass changes. */
  keep(graph: FrameGraph): void {
    this.#version = graph.importBuffer(this.#descriptor, this.measured);
  }

  /** Declares the read of the result, in the set-up of a later pass of the same frame. */
  declareRead(builder: PassBuilder): void {
    builder.read(this.#version, 'uniform');
  }

  setup(builder: PassBuilder): void {
    builder.read(this.#color, 'sampled');
    this.#version = builder.modify(this.#version, 'storage');
  }

  prepare(context: PassContext): void {
    const rhi = this.#rhi;
    this.#pipelines ??= [this.#create('countPixels'), this.#create('adapt')];
    const texture = context.texture(this.#color);
    if (texture === this.#bound) return;
    this.#bound = texture;
    rhi.destroy(this.#bindGroup);
    this.#bindGroup = rhi.createBindGroup({
      label: 'exposure',
      layout: this.#layout,
      entries: [
        { binding: 0, view: { texture } },
        { binding: 1, buffer: this.#histogram },
        { binding: 2, buffer: this.measured },
        { binding: 3, buffer: this.#adaptation },
      ],
    });
  }

  execute({ rhi }: PassContext): void {
    const pipelines = this.#pipelines as readonly [ComputePipelineHandle, ComputePipelineHandle];
    rhi.setComputePipeline(pipelines[0]);
    rhi.setBindGroup(0, this.#bindGroup as BindGroupHandle);
    rhi.dispatch(Math.ceil(this.#width / TILE), Math.ceil(this.#height / TILE));
    rhi.setComputePipeline(pipelines[1]);
    rhi.dispatch(1);
  }

  dispose(): void {
    const rhi = this.#rhi;
    this.#forgetPipelines();
    for (const resource of [
      this.#bindGroup,
      this.#module,
      this.#layout,
      this.measured,
      this.#histogram,
      this.#adaptation,
    ])
      rhi.destroy(resource);
    this.#bindGroup = undefined;
  }

  #create(entryPoint: string): ComputePipelineHandle {
    return this.#rhi.createComputePipeline({
      label: `exposure, ${entryPoint}`,
      bindGroupLayouts: [this.#layout],
      compute: {
        module: this.#module,
        entryPoint,
        constants: entryPoint === 'countPixels' ? { isDisplayed: this.#isDisplayed ? 1 : 0 } : {},
      },
    });
  }

  #forgetPipelines(): void {
    for (const pipeline of this.#pipelines ?? []) this.#rhi.destroy(pipeline);
    this.#pipelines = undefined;
  }
}
