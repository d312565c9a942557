import coverCode from '../../../shaders/cover-target.wgsl?raw';
import fogDensityCode from '../../../shaders/fog-density.wgsl?raw';
import drawingCode from '../../../shaders/shadow-catcher.wgsl?raw';
import blurCode from '../../../shaders/shadow-catcher-blur.wgsl?raw';
import {
  type BindGroupHandle,
  type BindGroupLayoutHandle,
  type BufferHandle,
  type GraphicsPipelineHandle,
  type ResourceHandle,
  type SamplerHandle,
  type ShaderModuleHandle,
  ShaderStage,
  type TextureHandle,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuView } from '../buffers/gpu-layouts.js';
import { type DisplayColors, SCENE_COLOR_FORMAT } from '../keys/display-colors.js';
import { DISPLAY_BITS, PassFormat } from '../keys/pass-format.js';
import type { FrameLayout } from '../pipelines/frame-bindings.js';
import { SCENE_DEPTH_FORMAT } from '../pipelines/pipeline-cache.js';
import { GpuShadowCatcher } from './gpu-shadow-catcher.js';

/** Format of the shadow on a ground. */
export const SHADE_FORMAT = 'r16float';

/** Bits of the pass format on which the drawing depends. */
const FORMAT_BITS = PassFormat.multisampled | PassFormat.unmappedTarget | PassFormat.fog | DISPLAY_BITS;

const FOG = `${fogDensityCode}fn fogShare(position: vec3f) -> f32 { return passedAlong(fogRayTo(position)); }\n`;
const NO_FOG = 'fn fogShare(position: vec3f) -> f32 { return 1.0; }\n';

/** Blending of the shadow: it covers the scene behind it with black. */
const SHADED: GPUBlendState = {
  color: { srcFactor: 'zero', dstFactor: 'one-minus-src-alpha' },
  alpha: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
};
/**
 * Blending of the shadow into unmapped colours: it dims the colours and their coverage. It adds no coverage, because it
 * adds its coverage to scene colour.
 */
const DIMMED: GPUBlendState = {
  color: SHADED.color,
  alpha: { srcFactor: 'zero', dstFactor: 'one-minus-src-alpha' },
};

/** Pipelines of the shadow catchers of a world. The object is created once the world has a catcher. */
export class CatcherPipelines {
  /** Whether a pipeline of a blur was created since this flag was last set to false. */
  areNew = false;
  readonly #rhi: ImmediateContext;
  readonly #frameLayout: FrameLayout;
  readonly #display: DisplayColors;
  /** Pipelines of the drawing, by `FORMAT_BITS` of the pass format. */
  readonly #drawings = new Map<number, GraphicsPipelineHandle>();
  /** Version of the frame's layout with which `#drawings` were created. */
  #layoutVersion = -1;
  readonly #modules = new Map<string, ShaderModuleHandle>();
  readonly #blurLayouts: Readonly<Record<'depth' | 'float', BindGroupLayoutHandle>>;
  readonly #drawingLayout: BindGroupLayoutHandle;
  readonly #sampler: SamplerHandle;
  #blurX: GraphicsPipelineHandle | undefined;
  #blurZ: GraphicsPipelineHandle | undefined;

  constructor(rhi: ImmediateContext, frameLayout: FrameLayout, display: DisplayColors) {
    this.#rhi = rhi;
    this.#frameLayout = frameLayout;
    this.#display = display;
    const uniform = { type: 'uniform' } as const;
    const createLayout = (sampleType: GPUTextureSampleType, isDrawing: boolean): BindGroupLayoutHandle =>
      rhi.createBindGroupLayout({
        label: 'shadow catcher',
        entries: [
          { binding: 0, visibility: ShaderStage.vertex | ShaderStage.fragment, buffer: uniform },
          { binding: 1, visibility: ShaderStage.fragment, texture: { sampleType } },
          ...(isDrawing ? [{ binding: 2, visibility: ShaderStage.fragment, sampler: {} }] : []),
        ],
      });
    this.#blurLayouts = { depth: createLayout('depth', false), float: createLayout('float', false) };
    this.#drawingLayout = createLayout('float', true);
    this.#sampler = rhi.createSampler({ label: 'shadow catcher', magFilter: 'linear', minFilter: 'linear' });
  }

  /** Creates bind group 0 of a blur. @param sampleType sample type of the source: `depth` for the first blur */
  createBlurGroup(
    sampleType: 'depth' | 'float',
    settings: BufferHandle,
    source: TextureHandle,
  ): BindGroupHandle {
    return this.#rhi.createBindGroup({
      label: 'shadow catcher',
      layout: this.#blurLayouts[sampleType],
      entries: [
        { binding: 0, buffer: settings },
        { binding: 1, view: { texture: source } },
      ],
    });
  }

  /** Creates bind group 1 of the drawing. */
  createDrawingGroup(settings: BufferHandle, shade: TextureHandle): BindGroupHandle {
    return this.#rhi.createBindGroup({
      label: 'shadow catcher',
      layout: this.#drawingLayout,
      entries: [
        { binding: 0, buffer: settings },
        { binding: 1, view: { texture: shade } },
        { binding: 2, sampler: this.#sampler },
      ],
    });
  }

  /** Outside passes: creates the pipelines of both blurs, unless they exist. */
  createBlurs(): void {
    this.#blurX ??= this.#createBlur('blurAlongX', 'depth');
    this.#blurZ ??= this.#createBlur('blurAlongZ', 'float');
  }

  /** Pipeline of the first blur, after `createBlurs`. */
  get blurX(): GraphicsPipelineHandle {
    return this.#blurX as GraphicsPipelineHandle;
  }

  /** Pipeline of the second blur, after `createBlurs`. */
  get blurZ(): GraphicsPipelineHandle {
    return this.#blurZ as GraphicsPipelineHandle;
  }

  /**
   * Returns the pipeline of the drawing. The first call for a format creates the pipeline, and so does the first call
   * after a change of the frame's layout. Such calls must be outside passes.
   * @param format bits of `PassFormat`
   */
  drawing(format: number): GraphicsPipelineHandle {
    if (this.#layoutVersion !== this.#frameLayout.version) {
      this.#layoutVersion = this.#frameLayout.version;
      for (const pipeline of this.#drawings.values()) this.#rhi.destroy(pipeline);
      this.#drawings.clear();
    }
    const key = format & FORMAT_BITS;
    let pipeline = this.#drawings.get(key);
    if (pipeline === undefined) {
      pipeline = this.#createDrawing(key);
      this.#drawings.set(key, pipeline);
    }
    return pipeline;
  }

  dispose(): void {
    const resources: (ResourceHandle | undefined)[] = [
      ...this.#drawings.values(),
      ...this.#modules.values(),
      this.#blurX,
      this.#blurZ,
      this.#blurLayouts.depth,
      this.#blurLayouts.float,
      this.#drawingLayout,
      this.#sampler,
    ];
    for (const resource of resources) this.#rhi.destroy(resource);
  }

  #createBlur(entryPoint: string, sampleType: 'depth' | 'float'): GraphicsPipelineHandle {
    this.areNew = true;
    const module = this.#module('shadow catcher, blur', `${GpuShadowCatcher.wgsl}${coverCode}${blurCode}`);
    return this.#rhi.createGraphicsPipeline({
      label: `shadow catcher, ${entryPoint}`,
      bindGroupLayouts: [this.#blurLayouts[sampleType]],
      vertex: { module, entryPoint: 'coverTarget' },
      fragment: { module, entryPoint, targets: [{ format: SHADE_FORMAT }] },
    });
  }

  #createDrawing(format: number): GraphicsPipelineHandle {
    const hasFog = (format & PassFormat.fog) !== 0;
    const hasUnmappedTarget = (format & PassFormat.unmappedTarget) !== 0;
    const code = [GpuView.wgsl, GpuShadowCatcher.wgsl, drawingCode, hasFog ? FOG : NO_FOG].join('');
    const module = this.#module(`shadow catcher${hasFog ? ', fog' : ''}`, code);
    const target = { format: this.#display.colorFormat(format), blend: SHADED };
    return this.#rhi.createGraphicsPipeline({
      label: 'shadow catcher',
      bindGroupLayouts: [this.#frameLayout.handle, this.#drawingLayout],
      vertex: { module, entryPoint: 'placeGround' },
      fragment: {
        module,
        entryPoint: hasUnmappedTarget ? 'shadeGroundInLayers' : 'shadeGround',
        targets: hasUnmappedTarget ? [target, { format: SCENE_COLOR_FORMAT, blend: DIMMED }] : [target],
      },
      primitive: { cullMode: 'back' },
      depthStencil: {
        format: SCENE_DEPTH_FORMAT,
        depthCompare: 'greater',
        depthWriteEnabled: false,
        // The bias keeps a floor in the same plane from hiding the shadow.
        depthBias: 4,
        depthBiasSlopeScale: 2,
      },
      multisample: { count: format & PassFormat.multisampled ? 4 : 1 },
    });
  }

  #module(label: string, code: string): ShaderModuleHandle {
    const module = this.#modules.get(label) ?? this.#rhi.createShaderModule({ label, code });
    this.#modules.set(label, module);
    return module;
  }
}
