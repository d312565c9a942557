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
import type { ViewEffectPasses } from '../effects/view-effects.js';
import type { OutputSettings } from '../views/output-settings.js';
import type { SceneTargets } from '../views/scene-targets.js';

/** Returns the tone curve of the last pass; empty if surfaces map their own tones. */
const curveOf = ({ displayCode, toneCurve }: OutputSettings): string => (displayCode ? '' : toneCurve);

const NO_CURVE = 'fn toneCurve(color: vec3f) -> vec3f { return color; }';
const NO_UNMAPPED_COLORS = 'fn unmappedColor(pixel: vec2u) -> vec4f { return vec4f(0.0); }';
const NO_EFFECTS =
  'fn withEffects(premultiplied: vec3f, coverage: f32, point: vec2f) -> vec3f { return premultiplied; }';

/** Pipelines with the same effects, by the format of their targets. */
interface ToneMapVariant {
  readonly pipelines: Map<GPUTextureFormat, GraphicsPipelineHandle>;
  module: ShaderModuleHandle | undefined;
  layout: BindGroupLayoutHandle | undefined;
}

/** Pipelines of tone mapping for all views, by the effects in them and the format of their targets. */
export class ToneMapPipelines {
  /** Increases when the layouts of bind groups change. */
  version = 0;
  /** Variants by `ViewEffectPasses.key`. */
  readonly #variants = new Map<number, ToneMapVariant>();
  readonly #rhi: ImmediateContext;
  /** Settings for which the pipelines were created. */
  #toneCurve: string;
  #hasUnmapped = false;
  #isTranslucent = false;
  #isDisplayed = false;

  constructor(rhi: ImmediateContext, output: OutputSettings) {
    this.#rhi = rhi;
    this.#toneCurve = curveOf(output);
    this.#isDisplayed = output.displayCode !== '';
  }

  /** Returns whether the next frame needs other pipelines than the last frame. */
  isOutdated(output: OutputSettings, hasUnmapped: boolean): boolean {
    return (
      curveOf(output) !== this.#toneCurve ||
      hasUnmapped !== this.#hasUnmapped ||
      output.alpha < 1 !== this.#isTranslucent ||
      (output.displayCode !== '') !== this.#isDisplayed
    );
  }

  /**
   * Per frame: destroys outdated pipelines.
   * @param hasUnmapped whether unmapped colours have their own target
   */
  update(output: OutputSettings, hasUnmapped: boolean): void {
    if (!this.isOutdated(output, hasUnmapped)) return;
    this.dispose();
    this.version++;
    this.#toneCurve = curveOf(output);
    this.#hasUnmapped = hasUnmapped;
    this.#isTranslucent = output.alpha < 1;
    this.#isDisplayed = output.displayCode !== '';
  }

  /**
   * Returns the pipeline. Call it outside passes if it may have to be created.
   * @param format format of the target, which encodes sRGB unless surfaces map their own tones
   * @param effects effects of the view
   */
  pipeline(format: GPUTextureFormat, effects: ViewEffectPasses | undefined): GraphicsPipelineHandle {
    const variant = this.#variant(effects);
    let pipeline = variant.pipelines.get(format);
    if (pipeline === undefined) {
      const rhi = this.#rhi;
      variant.module ??= rhi.createShaderModule({
        label: 'tone mapping',
        code: [
          GpuToneMapping.wgsl,
          code,
          this.#hasUnmapped ? unmappedColors : NO_UNMAPPED_COLORS,
          this.#toneCurve || NO_CURVE,
          effects?.key ? effects.compose() : NO_EFFECTS,
        ].join('\n'),
      });
      const { module } = variant;
      pipeline = rhi.createGraphicsPipeline({
        label: 'tone mapping',
        bindGroupLayouts: [this.layout(effects)],
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
      variant.pipelines.set(format, pipeline);
    }
    return pipeline;
  }

  layout(effects: ViewEffectPasses | undefined): BindGroupLayoutHandle {
    const variant = this.#variant(effects);
    const visibility = ShaderStage.fragment;
    const texture = { visibility, texture: { sampleType: 'unfilterable-float' } } as const;
    const uniforms = { visibility, buffer: { type: 'uniform' } } as const;
    variant.layout ??= this.#rhi.createBindGroupLayout({
      label: 'tone mapping',
      entries: [
        { binding: 0, ...texture },
        { binding: 1, ...uniforms },
        ...(this.#hasUnmapped ? [{ binding: 2, ...texture }] : []),
        ...(effects?.key ? [{ binding: 3, ...uniforms }] : []),
      ],
    });
    return variant.layout;
  }

  dispose(): void {
    const rhi = this.#rhi;
    for (const { pipelines, layout, module } of this.#variants.values()) {
      for (const pipeline of pipelines.values()) rhi.destroy(pipeline);
      rhi.destroy(layout);
      rhi.destroy(module);
    }
    this.#variants.clear();
  }

  #variant(effects: ViewEffectPasses | undefined): ToneMapVariant {
    const key = effects?.key ?? 0;
    let variant = this.#variants.get(key);
    if (!variant) {
      variant = { pipelines: new Map(), module: undefined, layout: undefined };
      this.#variants.set(key, variant);
    }
    return variant;
  }
}

/**
 * The last pass of a view: draws scene colour, exposed and tone-mapped, over the background, into an sRGB
 * view of the target. The background and unmapped colours are neither exposed nor tone-mapped, so they appear
 * exactly as the page has set them. Effects that change each pixel on its own apply to scene colour, unmapped
 * colours and background (`effects/view-effects.ts`).
 *
 *   scene colour ─► × exposure ─► [effects] ─► tone mapping ─┐
 *                        unmapped colours ─► [effects] ──────┼─ by coverage ─► sRGB encoding ─► surface
 *                              background ─► [effects] ──────┘
 */
export class ToneMapPass {
  readonly #packed = new Float32Array(GpuToneMapping.words);
  readonly #uploaded = new Float32Array(GpuToneMapping.words).fill(Number.NaN);
  #settings: BufferHandle | undefined;
  #bindGroup: BindGroupHandle | undefined;
  /** Textures that the bind group names. */
  #color: TextureHandle | undefined;
  #unmappedColor: TextureHandle | undefined;
  #pipelinesVersion = -1;
  #effectsKey = 0;
  #effectsVersion = -1;

  readonly #rhi: ImmediateContext;
  readonly #pipelines: ToneMapPipelines;
  readonly #targets: SceneTargets;

  /** @param targets targets of the view */
  constructor(rhi: ImmediateContext, pipelines: ToneMapPipelines, targets: SceneTargets) {
    this.#rhi = rhi;
    this.#pipelines = pipelines;
    this.#targets = targets;
  }

  /**
   * Per frame, outside passes: uploads the settings.
   * @param x, y origin of the view in the target, in pixels
   */
  prepare(output: OutputSettings, x: number, y: number): void {
    const rhi = this.#rhi;
    this.#settings ??= rhi.createBuffer({
      label: 'tone mapping',
      byteLength: GpuToneMapping.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
    this.#upload(this.#settings, output, x, y);
  }

  /**
   * Per frame, outside passes, after the view's textures have been created: updates the bind group.
   * @param format format of the target
   * @param effects effects of the view
   */
  bind(context: PassContext, format: GPUTextureFormat, effects: ViewEffectPasses | undefined): void {
    const rhi = this.#rhi;
    const { version } = this.#pipelines;
    const targets = this.#targets;
    const color = context.texture(targets.color);
    const unmappedColor =
      targets.unmappedColor === undefined ? undefined : context.texture(targets.unmappedColor);
    const effectsKey = effects?.key ?? 0;
    const effectsVersion = effectsKey === 0 ? -1 : (effects as ViewEffectPasses).version;
    if (effectsKey !== 0) this.#pipelines.pipeline(format, effects);
    const isSame =
      color === this.#color &&
      unmappedColor === this.#unmappedColor &&
      version === this.#pipelinesVersion &&
      effectsKey === this.#effectsKey &&
      effectsVersion === this.#effectsVersion;
    if (isSame) return;
    this.#color = color;
    this.#unmappedColor = unmappedColor;
    this.#pipelinesVersion = version;
    this.#effectsKey = effectsKey;
    this.#effectsVersion = effectsVersion;
    rhi.destroy(this.#bindGroup);
    this.#bindGroup = rhi.createBindGroup({
      label: 'tone mapping',
      layout: this.#pipelines.layout(effects),
      entries: [
        { binding: 0, view: { texture: color } },
        { binding: 1, buffer: this.#settings as BufferHandle },
        ...(unmappedColor === undefined ? [] : [{ binding: 2, view: { texture: unmappedColor } }]),
        ...(effects?.key ? [{ binding: 3, buffer: effects.buffer }] : []),
      ],
    });
  }

  /** Draws the picture in a render pass over a target of the format, after `bind`. */
  record(format: GPUTextureFormat, effects: ViewEffectPasses | undefined): void {
    const rhi = this.#rhi;
    rhi.setGraphicsPipeline(this.#pipelines.pipeline(format, effects));
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
