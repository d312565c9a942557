import coverCode from '../../../shaders/cover-target.wgsl?raw';
import code from '../../../shaders/tone-mapping.wgsl?raw';
import unmappedColors from '../../../shaders/unmapped-colors.wgsl?raw';
import type { PassContext } from '../../graph/graph-pass.js';
import { TONE_MAPPINGS } from '../../proxy/commands.js';
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
import { toneCurveCode } from '../keys/tone-curves.js';
import type { SceneTargets } from '../views/scene-targets.js';
import type { ViewLook } from '../views/view-look.js';
import type { ViewPlace } from './view-info.js';

const NO_UNMAPPED_COLORS = 'fn unmappedColor(pixel: vec2u) -> vec4f { return vec4f(0.0); }';
const NO_EFFECTS =
  'fn automaticExposure(given: f32, pixel: vec2u) -> f32 { return given; }\n' +
  'fn withEffects(premultiplied: vec3f, coverage: f32, point: vec2f) -> vec3f { return premultiplied; }\n' +
  'fn withGrading(color: vec3f, point: vec2f) -> vec3f { return color; }\n' +
  'fn throughLens(pixel: vec2u) -> vec4f { return pictureAt(pixel); }\n' +
  'fn withFilm(picture: vec4f, pixel: vec2u) -> vec4f { return picture; }\n';

/**
 * Parts of a style. A style holds everything on which a pipeline depends, except the effects and the target's format.
 */
enum StylePart {
  /** Unmapped colours have their own target. */
  unmapped = 1,
  /** The page is visible through the target. */
  translucent = 2,
  /** The picture is blended over the pictures beneath it. */
  overlay = 4,
  /** Surfaces have mapped their own tones. */
  displayed = 8,
  /** Factor by which the index in `TONE_MAPPINGS` is multiplied. */
  toneMapping = 16,
}
const STYLE_RANGE = /* @__PURE__ */ StylePart.toneMapping * TONE_MAPPINGS.length;

/** Returns the style of a view's last pass. @param isTranslucent whether the page is visible through the target */
function styleOf(look: ViewLook, isTranslucent: boolean): number {
  return (
    (look.hasUnmappedTarget ? StylePart.unmapped : 0) +
    (isTranslucent ? StylePart.translucent : 0) +
    (look.isOverlay ? StylePart.overlay : 0) +
    (look.hdr ? look.toneMapping * StylePart.toneMapping : StylePart.displayed)
  );
}

const toneMappingOf = (style: number): number => Math.floor(style / StylePart.toneMapping);

/**
 * Pipelines of tone mapping for all views. A pipeline depends on the style, the effects of the view and the format of
 * the target.
 */
export class ToneMapPipelines {
  /** Pipelines by style and `ViewEffectPasses.key`, then by the format of the target. */
  readonly #pipelines = new Map<number, Map<GPUTextureFormat, GraphicsPipelineHandle>>();
  readonly #modules = new Map<number, ShaderModuleHandle>();
  readonly #layouts = new Map<number, BindGroupLayoutHandle>();
  readonly #rhi: ImmediateContext;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  /**
   * Returns the pipeline. Call it outside passes if it may have to be created.
   * @param format format of the target, which encodes sRGB unless surfaces map their own tones
   * @param effects effects of the view
   */
  pipeline(
    style: number,
    format: GPUTextureFormat,
    effects: ViewEffectPasses | undefined,
  ): GraphicsPipelineHandle {
    const key = style + (effects?.key ?? 0) * STYLE_RANGE;
    let byFormat = this.#pipelines.get(key);
    if (!byFormat) {
      byFormat = new Map();
      this.#pipelines.set(key, byFormat);
    }
    let pipeline = byFormat.get(format);
    if (pipeline === undefined) {
      pipeline = this.#create(style, format, effects);
      byFormat.set(format, pipeline);
    }
    return pipeline;
  }

  /** Creates the pipeline of the views that have no look of their own, before the first frame. */
  warmUp(look: ViewLook, format: GPUTextureFormat): void {
    this.pipeline(styleOf(look, look.isTranslucent), format, undefined);
  }

  layout(style: number, effects: ViewEffectPasses | undefined): BindGroupLayoutHandle {
    const hasUnmapped = style & StylePart.unmapped;
    const hasTexture = effects?.texture !== undefined;
    const hasWritten = effects?.written !== undefined;
    const key = hasUnmapped + (effects?.key ? 2 : 0) + (hasTexture ? 4 : 0) + (hasWritten ? 8 : 0);
    let layout = this.#layouts.get(key);
    if (layout === undefined) {
      const visibility = ShaderStage.fragment;
      const texture = { visibility, texture: { sampleType: 'unfilterable-float' } } as const;
      const uniforms = { visibility, buffer: { type: 'uniform' } } as const;
      layout = this.#rhi.createBindGroupLayout({
        label: 'tone mapping',
        entries: [
          { binding: 0, ...texture },
          { binding: 1, ...uniforms },
          ...(hasUnmapped ? [{ binding: 2, ...texture }] : []),
          ...(effects?.key ? [{ binding: 3, ...uniforms }] : []),
          ...(hasTexture ? [{ binding: 4, ...texture }] : []),
          ...(hasWritten ? [{ binding: 5, ...uniforms }] : []),
        ],
      });
      this.#layouts.set(key, layout);
    }
    return layout;
  }

  dispose(): void {
    const rhi = this.#rhi;
    for (const pipelines of this.#pipelines.values())
      for (const pipeline of pipelines.values()) rhi.destroy(pipeline);
    for (const layout of this.#layouts.values()) rhi.destroy(layout);
    for (const module of this.#modules.values()) rhi.destroy(module);
    this.#pipelines.clear();
    this.#layouts.clear();
    this.#modules.clear();
  }

  #create(
    style: number,
    format: GPUTextureFormat,
    effects: ViewEffectPasses | undefined,
  ): GraphicsPipelineHandle {
    const module = this.#module(style, effects);
    return this.#rhi.createGraphicsPipeline({
      label: 'tone mapping',
      bindGroupLayouts: [this.layout(style, effects)],
      vertex: { module, entryPoint: 'coverTarget' },
      fragment: {
        module,
        entryPoint: 'mapTones',
        constants: {
          isTranslucent: style & StylePart.translucent ? 1 : 0,
          isOverlay: style & StylePart.overlay ? 1 : 0,
          isDisplayed: style & StylePart.displayed ? 1 : 0,
        },
        targets: [style & StylePart.overlay ? { format, blend: OVER } : { format }],
      },
    });
  }

  #module(style: number, effects: ViewEffectPasses | undefined): ShaderModuleHandle {
    const toneMapping = toneMappingOf(style);
    const hasUnmapped = (style & StylePart.unmapped) !== 0;
    const key = (effects?.key ?? 0) * STYLE_RANGE + toneMapping * StylePart.toneMapping + Number(hasUnmapped);
    let module = this.#modules.get(key);
    if (module === undefined) {
      module = this.#rhi.createShaderModule({
        label: 'tone mapping',
        code: [
          GpuToneMapping.wgsl,
          coverCode,
          code,
          hasUnmapped ? unmappedColors : NO_UNMAPPED_COLORS,
          toneCurveCode(toneMapping),
          effects?.key ? effects.compose() : NO_EFFECTS,
        ].join('\n'),
      });
      this.#modules.set(key, module);
    }
    return module;
  }
}

/** Blending of a premultiplied picture. */
export const OVER = {
  color: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
  alpha: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
} as const;

/**
 * The last pass of a view. It draws exposed and tone-mapped scene colour over the background. The background and
 * unmapped colours are neither exposed nor tone-mapped, so they appear exactly as the page has set them. Effects have
 * five stages (`effects/effect.ts`): exposure, light [1], grading [2], lens [3] and film [4].
 *
 *   scene colour ─► × exposure ─► [1] ─► tone mapping ─► [2] ─┐
 *                              unmapped colours ─► [1] ───────┼─ by coverage ─► [3] ─► [4] ─► sRGB encoding ─► target
 *                                    background ─► [1] ───────┘
 */
export class ToneMapPass {
  readonly #packed = new Float32Array(GpuToneMapping.words);
  readonly #uploaded = new Float32Array(GpuToneMapping.words).fill(Number.NaN);
  #settings: BufferHandle | undefined;
  #bindGroup: BindGroupHandle | undefined;
  /** Textures and layout that the bind group names. */
  #color: TextureHandle | undefined;
  #unmappedColor: TextureHandle | undefined;
  #layout: BindGroupLayoutHandle | undefined;
  #effectsVersion = -1;
  #style = 0;

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
   * @param isTranslucent whether the page is visible through the target
   */
  prepare(look: ViewLook, place: ViewPlace, isTranslucent: boolean): void {
    const rhi = this.#rhi;
    this.#style = styleOf(look, isTranslucent);
    this.#settings ??= rhi.createBuffer({
      label: 'tone mapping',
      byteLength: GpuToneMapping.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
    this.#upload(this.#settings, look, place);
  }

  /**
   * Per frame, outside passes, after the view's textures have been created: updates the bind group, and
   * creates the pipeline.
   * @param format format of the target
   * @param effects effects of the view
   */
  bind(context: PassContext, format: GPUTextureFormat, effects: ViewEffectPasses | undefined): void {
    const rhi = this.#rhi;
    const targets = this.#targets;
    const color = context.texture(targets.color);
    const unmappedColor =
      targets.unmappedColor === undefined ? undefined : context.texture(targets.unmappedColor);
    const layout = this.#pipelines.layout(this.#style, effects);
    const effectsVersion = effects?.key ? effects.version : -1;
    this.#pipelines.pipeline(this.#style, format, effects);
    const isSame =
      color === this.#color &&
      unmappedColor === this.#unmappedColor &&
      layout === this.#layout &&
      effectsVersion === this.#effectsVersion;
    if (isSame) return;
    this.#color = color;
    this.#unmappedColor = unmappedColor;
    this.#layout = layout;
    this.#effectsVersion = effectsVersion;
    rhi.destroy(this.#bindGroup);
    this.#bindGroup = rhi.createBindGroup({
      label: 'tone mapping',
      layout,
      entries: [
        { binding: 0, view: { texture: color } },
        { binding: 1, buffer: this.#settings as BufferHandle },
        ...(unmappedColor === undefined ? [] : [{ binding: 2, view: { texture: unmappedColor } }]),
        ...(effects?.key ? [{ binding: 3, buffer: effects.buffer }] : []),
        ...(effects?.texture === undefined ? [] : [{ binding: 4, view: { texture: effects.texture } }]),
        ...(effects?.written === undefined ? [] : [{ binding: 5, buffer: effects.written }]),
      ],
    });
  }

  /** Draws the picture in a render pass over a target of the format, after `bind`. */
  record(format: GPUTextureFormat, effects: ViewEffectPasses | undefined): void {
    const rhi = this.#rhi;
    rhi.setGraphicsPipeline(this.#pipelines.pipeline(this.#style, format, effects));
    rhi.setBindGroup(0, this.#bindGroup as BindGroupHandle);
    rhi.draw(3);
  }

  dispose(): void {
    this.#rhi.destroy(this.#bindGroup);
    this.#rhi.destroy(this.#settings);
    this.#bindGroup = this.#settings = this.#layout = undefined;
    this.#uploaded.fill(Number.NaN);
  }

  #upload(settings: BufferHandle, look: ViewLook, { x, y, width, height, region }: ViewPlace): void {
    const { at } = GpuToneMapping;
    const packed = this.#packed;
    const uploaded = this.#uploaded;
    packed.set(look.background, at.background);
    packed[at.exposure] = look.hdr ? look.exposure : 1;
    packed[at.origin] = x;
    packed[at.origin + 1] = y;
    packed[at.part] = region?.x ?? 0;
    packed[at.part + 1] = region?.y ?? 0;
    packed[at.whole] = region?.width ?? width;
    packed[at.whole + 1] = region?.height ?? height;
    let isChanged = false;
    for (let index = 0; index < packed.length; index++) {
      if (packed[index] !== uploaded[index]) isChanged = true;
    }
    if (!isChanged) return;
    uploaded.set(packed);
    this.#rhi.writeBuffer(settings, 0, packed);
  }
}
