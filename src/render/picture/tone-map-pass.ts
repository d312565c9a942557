import code from '../../../shaders/tone-mapping.wgsl?raw';
import unmappedColors from '../../../shaders/unmapped-colors.wgsl?raw';
import type { PassContext } from '../../graph/graph-pass.js';
import {
  type BindGroupHandle,
  type BindGroupLayoutHandle,
  type BufferHandle,
  BufferUsage,
  type GraphicsPipelineHandle,
  type ShaderModuleHandle,
  ShaderStage,
  type TextureHandle,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuToneMapping } from '../buffers/gpu-layouts.js';
import type { SceneTargets } from '../views/scene-targets.js';

/**
 * The last pass of a view: scene colour, exposed and tone-mapped, over the background, into an sRGB view of what shows it. The
 * background and what has a target of its own for that are neither exposed nor tone-mapped: the page sees exactly the
 * colours it asked for.
 *
 *   scene colour ─► × exposure ─► tone mapping ─┐
 *                           unmapped colours ───┼─ by coverage ─► sRGB encoding ─► surface
 *                              background ──────┘
 */
export interface OutputSettings {
  /** Of the background, not multiplied by alpha: linear, or sRGB where there is a `displayCode`. */
  red: number;
  green: number;
  blue: number;
  alpha: number;
  /** Factor on scene colour. */
  exposure: number;
  /** WGSL; empty: none. */
  toneCurve: string;
  /** WGSL with which surfaces map tones themselves, that of the tone mapping included; empty: they don't. */
  displayCode: string;
}

/** Where surfaces map tones themselves, none is left for the last pass. */
const curveOf = ({ displayCode, toneCurve }: OutputSettings): string => (displayCode ? '' : toneCurve);

const NO_CURVE = 'fn toneCurve(color: vec3f) -> vec3f { return color; }';
const NO_UNMAPPED_COLORS = 'fn unmappedColor(pixel: vec2u) -> vec4f { return vec4f(0.0); }';

/** What the tone mapping of all views has in common: pipelines, by the format of their targets. */
export class ToneMapPipelines {
  /** Rises when the layout of the bind group is another one. */
  version = 0;
  readonly #pipelines = new Map<GPUTextureFormat, GraphicsPipelineHandle>();
  #module: ShaderModuleHandle | undefined;
  #layout: BindGroupLayoutHandle | undefined;

  readonly #rhi: ImmediateContext;
  /** What the pipelines were made for. */
  #toneCurve: string;
  #hasUnmapped = false;
  #isTranslucent = false;
  #isDisplayed = false;

  constructor(rhi: ImmediateContext, output: OutputSettings) {
    this.#rhi = rhi;
    this.#toneCurve = curveOf(output);
    this.#isDisplayed = output.displayCode !== '';
  }

  /** Whether the next frame needs other pipelines than the last one. */
  isOutdated(output: OutputSettings, hasUnmapped: boolean): boolean {
    return (
      curveOf(output) !== this.#toneCurve ||
      hasUnmapped !== this.#hasUnmapped ||
      output.alpha < 1 !== this.#isTranslucent ||
      (output.displayCode !== '') !== this.#isDisplayed
    );
  }

  /** Per frame. @param hasUnmapped whether some colours have a target of their own */
  update(output: OutputSettings, hasUnmapped: boolean): void {
    if (!this.isOutdated(output, hasUnmapped)) return;
    this.dispose();
    this.version++;
    this.#toneCurve = curveOf(output);
    this.#hasUnmapped = hasUnmapped;
    this.#isTranslucent = output.alpha < 1;
    this.#isDisplayed = output.displayCode !== '';
  }

  /** Outside passes where it is a new one. @param format of the target: one that encodes sRGB, unless surfaces map tones */
  pipeline(format: GPUTextureFormat): GraphicsPipelineHandle {
    let pipeline = this.#pipelines.get(format);
    if (pipeline === undefined) {
      const rhi = this.#rhi;
      this.#module ??= rhi.createShaderModule({
        label: 'tone mapping',
        code: [
          GpuToneMapping.wgsl,
          code,
          this.#hasUnmapped ? unmappedColors : NO_UNMAPPED_COLORS,
          this.#toneCurve || NO_CURVE,
        ].join('\n'),
      });
      const module = this.#module;
      pipeline = rhi.createGraphicsPipeline({
        label: 'tone mapping',
        bindGroupLayouts: [this.layout],
        vertex: { module, entryPoint: 'coverTarget' },
        fragment: {
          module,
          entryPoint: 'mapTones',
          constants: {
            isTranslucent: Number(this.#isTranslucent),
            isDisplayed: Number(this.#isDisplayed),
          },
          targets: [{ format }],
        },
      });
      this.#pipelines.set(format, pipeline);
    }
    return pipeline;
  }

  get layout(): BindGroupLayoutHandle {
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

  dispose(): void {
    const rhi = this.#rhi;
    for (const pipeline of this.#pipelines.values()) rhi.destroy(pipeline);
    this.#pipelines.clear();
    rhi.destroy(this.#layout);
    rhi.destroy(this.#module);
    this.#layout = this.#module = undefined;
  }
}

/** The tone mapping of one view. */
export class ToneMapPass {
  readonly #packed = new Float32Array(GpuToneMapping.words);
  readonly #uploaded = new Float32Array(GpuToneMapping.words).fill(Number.NaN);
  #settings: BufferHandle | undefined;
  #bindGroup: BindGroupHandle | undefined;
  /** What the bind group names. */
  #color: TextureHandle | undefined;
  #unmappedColor: TextureHandle | undefined;
  #pipelinesVersion = -1;

  readonly #rhi: ImmediateContext;
  readonly #pipelines: ToneMapPipelines;
  readonly #targets: SceneTargets;

  /** @param targets of the view */
  constructor(rhi: ImmediateContext, pipelines: ToneMapPipelines, targets: SceneTargets) {
    this.#rhi = rhi;
    this.#pipelines = pipelines;
    this.#targets = targets;
  }

  /** Per frame, outside passes. @param x, y pixels: where in the target the view begins */
  prepare(output: OutputSettings, x: number, y: number): void {
    const rhi = this.#rhi;
    this.#settings ??= rhi.createBuffer({
      label: 'tone mapping',
      byteLength: GpuToneMapping.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
    this.#upload(this.#settings, output, x, y);
  }

  /** Per frame, outside passes, when the textures of the view are there. */
  bind(context: PassContext): void {
    const rhi = this.#rhi;
    const { version } = this.#pipelines;
    const targets = this.#targets;
    const color = context.texture(targets.color);
    const unmappedColor =
      targets.unmappedColor === undefined ? undefined : context.texture(targets.unmappedColor);
    const isSame =
      color === this.#color && unmappedColor === this.#unmappedColor && version === this.#pipelinesVersion;
    if (isSame) return;
    this.#color = color;
    this.#unmappedColor = unmappedColor;
    this.#pipelinesVersion = version;
    rhi.destroy(this.#bindGroup);
    this.#bindGroup = rhi.createBindGroup({
      label: 'tone mapping',
      layout: this.#pipelines.layout,
      entries: [
        { binding: 0, view: { texture: color } },
        { binding: 1, buffer: this.#settings as BufferHandle },
        ...(unmappedColor === undefined ? [] : [{ binding: 2, view: { texture: unmappedColor } }]),
      ],
    });
  }

  /** In a render pass over a target of the format. */
  record(format: GPUTextureFormat): void {
    const rhi = this.#rhi;
    rhi.setGraphicsPipeline(this.#pipelines.pipeline(format));
    rhi.setBindGroup(0, this.#bindGroup as BindGroupHandle);
    rhi.draw(3);
  }

  dispose(): void {
    this.#rhi.destroy(this.#bindGroup);
    this.#rhi.destroy(this.#settings);
    this.#bindGroup = this.#settings = undefined;
    this.#pipelinesVersion = -1;
    this.#uploaded.fill(Number.NaN);
  }

  #upload(settings: BufferHandle, output: OutputSettings, x: number, y: number): void {
    const { at } = GpuToneMapping;
    const packed = this.#packed;
    const uploaded = this.#uploaded;
    packed[at.background] = output.red;
    packed[at.background + 1] = output.green;
    packed[at.background + 2] = output.blue;
    packed[at.background + 3] = output.alpha;
    packed[at.exposure] = output.displayCode ? 1 : output.exposure;
    packed[at.origin] = x;
    packed[at.origin + 1] = y;
    let isChanged = false;
    for (let index = 0; index < packed.length; index++) {
      if (packed[index] !== uploaded[index]) isChanged = true;
    }
    if (!isChanged) return;
    uploaded.set(packed);
    this.#rhi.writeBuffer(settings, 0, packed);
  }
}
