import code from '../../shaders/tone-mapping.wgsl?raw';
import unmappedColors from '../../shaders/unmapped-colors.wgsl?raw';
import {
  type BindGroupHandle,
  type BindGroupLayoutHandle,
  type BufferHandle,
  BufferUsage,
  type GraphicsPipelineHandle,
  type RenderPassDescriptor,
  type ShaderModuleHandle,
  ShaderStage,
  type TextureHandle,
} from '../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import { GpuToneMapping } from './gpu-layouts.js';
import type { SceneTargets } from './scene-targets.js';

/**
 * The last pass: scene colour, exposed and tone-mapped, over the background, into the surface's sRGB view. The
 * background and what has a target of its own for that are neither exposed nor tone-mapped: the page sees exactly the
 * colours it asked for.
 *
 *   scene colour ─► × exposure ─► tone mapping ─┐
 *                           unmapped colours ───┼─ by coverage ─► sRGB encoding ─► surface
 *                              background ──────┘
 */
export interface OutputSettings {
  /** Of the background: linear, not multiplied by alpha. */
  red: number;
  green: number;
  blue: number;
  alpha: number;
  /** Factor on scene colour. */
  exposure: number;
  /** WGSL; empty: none. */
  toneCurve: string;
}

const NO_CURVE = 'fn toneCurve(color: vec3f) -> vec3f { return color; }';
const NO_UNMAPPED_COLORS = 'fn unmappedColor(pixel: vec2u) -> vec4f { return vec4f(0.0); }';

export class ToneMapPass {
  readonly #packed = new Float32Array(GpuToneMapping.words);
  readonly #uploaded = new Float32Array(GpuToneMapping.words).fill(Number.NaN);
  #module: ShaderModuleHandle | undefined;
  #layout: BindGroupLayoutHandle | undefined;
  #settings: BufferHandle | undefined;
  #bindGroup: BindGroupHandle | undefined;
  #pipeline: GraphicsPipelineHandle | undefined;
  #targetsVersion = -1;
  #pass: RenderPassDescriptor | undefined;

  readonly #rhi: ImmediateContext;
  readonly #target: TextureHandle;
  readonly #targetFormat: GPUTextureFormat;
  /** What the pipeline was made for. */
  #toneCurve: string;
  #hasUnmapped = false;

  /** @param toneCurve WGSL, of the pipeline that `warmUp` creates */
  constructor(
    rhi: ImmediateContext,
    target: TextureHandle,
    targetFormat: GPUTextureFormat,
    toneCurve: string,
  ) {
    this.#rhi = rhi;
    this.#target = target;
    this.#targetFormat = targetFormat;
    this.#toneCurve = toneCurve;
  }

  /** Before the first frame. */
  warmUp(): void {
    this.#createPipeline();
  }

  /** Whether its next frame needs another pipeline than its last one. */
  isOutdated(toneCurve: string, hasUnmapped: boolean): boolean {
    return toneCurve !== this.#toneCurve || hasUnmapped !== this.#hasUnmapped;
  }

  /** Per frame, before the viewport is acquired: everything that has to exist. */
  prepare(targets: SceneTargets, output: OutputSettings): void {
    const rhi = this.#rhi;
    const { unmappedColor } = targets;
    if (this.isOutdated(output.toneCurve, unmappedColor !== undefined)) {
      this.dispose();
      this.#toneCurve = output.toneCurve;
      this.#hasUnmapped = unmappedColor !== undefined;
    }
    const packed = this.#packed;
    const uploaded = this.#uploaded;
    const layout = this.#bindGroupLayout();
    this.#settings ??= rhi.createBuffer({
      label: 'tone mapping',
      byteLength: GpuToneMapping.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
    const { at } = GpuToneMapping;
    packed[at.background] = output.red;
    packed[at.background + 1] = output.green;
    packed[at.background + 2] = output.blue;
    packed[at.background + 3] = output.alpha;
    packed[at.exposure] = output.exposure;
    let isChanged = false;
    for (let index = 0; index < packed.length; index++) {
      if (packed[index] !== uploaded[index]) isChanged = true;
    }
    if (isChanged) {
      uploaded.set(packed);
      rhi.writeBuffer(this.#settings, 0, packed);
      this.#pass = this.#describePass(output);
    }
    if (this.#targetsVersion !== targets.version) {
      this.#targetsVersion = targets.version;
      rhi.destroy(this.#bindGroup);
      this.#bindGroup = rhi.createBindGroup({
        label: 'tone mapping',
        layout,
        entries: [
          { binding: 0, view: { texture: targets.color } },
          { binding: 1, buffer: this.#settings },
          ...(unmappedColor === undefined ? [] : [{ binding: 2, view: { texture: unmappedColor } }]),
        ],
      });
    }
    this.#createPipeline();
  }

  /** Per frame, between the viewport's begin and end. */
  record(): void {
    if (!this.#pipeline || !this.#bindGroup || !this.#pass) return;
    const rhi = this.#rhi;
    rhi.beginRenderPass(this.#pass);
    rhi.setGraphicsPipeline(this.#pipeline);
    rhi.setBindGroup(0, this.#bindGroup);
    rhi.draw(3);
    rhi.endRenderPass();
  }

  dispose(): void {
    const rhi = this.#rhi;
    const bindGroup = this.#bindGroup;
    const settings = this.#settings;
    const layout = this.#layout;
    const module = this.#module;
    rhi.destroy(bindGroup);
    rhi.destroy(this.#pipeline);
    for (const resource of [settings, layout, module]) rhi.destroy(resource);
    this.#bindGroup = this.#settings = this.#layout = this.#module = this.#pipeline = undefined;
    this.#targetsVersion = -1;
    this.#uploaded.fill(Number.NaN);
  }

  /** Cleared to the background, which is all that shows while the pipeline is being compiled; to nothing where it is translucent. */
  #describePass({ red, green, blue, alpha }: OutputSettings): RenderPassDescriptor {
    return {
      label: 'tone mapping',
      colorAttachments: [
        {
          view: { texture: this.#target, format: this.#targetFormat },
          loadOp: 'clear',
          storeOp: 'store',
          clearValue: alpha < 1 ? [0, 0, 0, 0] : [red, green, blue, 1],
        },
      ],
    };
  }

  /** Outside passes. */
  #createPipeline(): void {
    if (this.#pipeline) return;
    const rhi = this.#rhi;
    const module = rhi.createShaderModule({
      label: 'tone mapping',
      code: [
        GpuToneMapping.wgsl,
        code,
        this.#hasUnmapped ? unmappedColors : NO_UNMAPPED_COLORS,
        this.#toneCurve || NO_CURVE,
      ].join('\n'),
    });
    this.#module = module;
    this.#pipeline = rhi.createGraphicsPipeline({
      label: 'tone mapping',
      bindGroupLayouts: [this.#bindGroupLayout()],
      vertex: { module, entryPoint: 'coverTarget' },
      fragment: { module, entryPoint: 'mapTones', targets: [{ format: this.#targetFormat }] },
    });
  }

  #bindGroupLayout(): BindGroupLayoutHandle {
    const texture = {
      visibility: ShaderStage.fragment,
      texture: { sampleType: 'unfilterable-float' },
    } as const;
    this.#layout ??= this.#rhi.createBindGroupLayout({
      label: 'tone mapping',
      entries: [
        { binding: 0, ...texture },
        { binding: 1, visibility: ShaderStage.fragment, buffer: { type: 'uniform' } },
        ...(this.#hasUnmapped ? [{ binding: 2, ...texture }] : []),
      ],
    });
    return this.#layout;
  }
}
