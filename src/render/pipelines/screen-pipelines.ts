import {
  type BindGroupLayoutHandle,
  type GraphicsPipelineHandle,
  type ResourceHandle,
  type SamplerHandle,
  type ShaderModuleHandle,
  ShaderStage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';

/** Bindings of a `ScreenShader`, in group 0. A pass binds the uniforms and the second source only if it has them. */
export enum ScreenBinding {
  source = 0,
  /** A sampler with linear filters. */
  sampler = 1,
  uniforms = 2,
  second = 3,
}

/** Bindings of `FilterPass` after its textures, in group 0. */
export enum FilterBinding {
  /** A sampler with linear filters. */
  sampler = 8,
  uniforms = 9,
}

/** Sample type of a source of `FilterPass`. Depth may have four samples per pixel. */
export type SourceType = GPUTextureSampleType | 'multisampled-depth';

/** WGSL whose vertex entry point `coverTarget` places one triangle over the target. */
export interface ScreenShader {
  readonly label: string;
  readonly code: string;
}

/** Sample types of the source and of the second source. */
export type SampleTypes = readonly [source: GPUTextureSampleType, second?: GPUTextureSampleType];

const FLOATS: SampleTypes = ['float', 'float'];

/** Pipelines of passes that draw one triangle over their target. All views share them. */
export class ScreenPipelines {
  readonly #rhi: ImmediateContext;
  readonly #modules = new Map<ScreenShader, ShaderModuleHandle>();
  readonly #layouts = new Map<string, BindGroupLayoutHandle>();
  readonly #filterLayouts = new Map<string, BindGroupLayoutHandle>();
  readonly #pipelines = new Map<string, GraphicsPipelineHandle>();
  #sampler: SamplerHandle | undefined;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  get sampler(): SamplerHandle {
    this.#sampler ??= this.#rhi.createSampler({
      label: 'screen passes',
      minFilter: 'linear',
      magFilter: 'linear',
      mipmapFilter: 'linear',
    });
    return this.#sampler;
  }

  /** Returns the layout of bind group 0. */
  layout(hasUniforms: boolean, hasSecond: boolean, sampleTypes = FLOATS): BindGroupLayoutHandle {
    const [source, second = 'float'] = sampleTypes;
    const key = [hasUniforms, source, hasSecond && second].join(' ');
    let layout = this.#layouts.get(key);
    if (layout === undefined) {
      const visibility = ShaderStage.fragment;
      layout = this.#rhi.createBindGroupLayout({
        label: 'screen passes',
        entries: [
          { binding: ScreenBinding.source, visibility, texture: { sampleType: source } },
          { binding: ScreenBinding.sampler, visibility, sampler: {} },
          ...(hasUniforms
            ? [{ binding: ScreenBinding.uniforms, visibility, buffer: { type: 'uniform' as const } }]
            : []),
          ...(hasSecond
            ? [{ binding: ScreenBinding.second, visibility, texture: { sampleType: second } }]
            : []),
        ],
      });
      this.#layouts.set(key, layout);
    }
    return layout;
  }

  /** Returns the layout of bind group 0 of a `FilterPass`. */
  filterLayout(types: readonly SourceType[]): BindGroupLayoutHandle {
    const key = types.join();
    let layout = this.#filterLayouts.get(key);
    if (layout === undefined) {
      const visibility = ShaderStage.fragment;
      layout = this.#rhi.createBindGroupLayout({
        label: 'filters',
        entries: [
          ...types.map((type, binding) => ({
            binding,
            visibility,
            texture:
              type === 'multisampled-depth'
                ? { sampleType: 'depth' as const, multisampled: true }
                : { sampleType: type },
          })),
          { binding: FilterBinding.sampler, visibility, sampler: {} },
          { binding: FilterBinding.uniforms, visibility, buffer: { type: 'uniform' as const } },
        ],
      });
      this.#filterLayouts.set(key, layout);
    }
    return layout;
  }

  /**
   * Returns a pipeline. Call it outside passes if it may have to be created, and keep the result.
   * @param targets formats and blending of the targets
   * @param constants values of `override` constants
   */
  pipeline(
    shader: ScreenShader,
    entryPoint: string,
    targets: readonly GPUColorTargetState[],
    layout: BindGroupLayoutHandle,
    constants: Readonly<Record<string, number>>,
  ): GraphicsPipelineHandle {
    const key = [shader.label, entryPoint, layout, JSON.stringify([targets, constants])].join(' ');
    let pipeline = this.#pipelines.get(key);
    if (pipeline === undefined) {
      const module = this.#modules.get(shader) ?? this.#rhi.createShaderModule(shader);
      this.#modules.set(shader, module);
      pipeline = this.#rhi.createGraphicsPipeline({
        label: `${shader.label}, ${entryPoint}`,
        bindGroupLayouts: [layout],
        vertex: { module, entryPoint: 'coverTarget' },
        fragment: { module, entryPoint, targets, constants },
      });
      this.#pipelines.set(key, pipeline);
    }
    return pipeline;
  }

  dispose(): void {
    const resources: (ResourceHandle | undefined)[] = [
      ...this.#pipelines.values(),
      ...this.#layouts.values(),
      ...this.#filterLayouts.values(),
      ...this.#modules.values(),
      this.#sampler,
    ];
    for (const resource of resources) this.#rhi.destroy(resource);
    this.#pipelines.clear();
    this.#modules.clear();
    this.#layouts.clear();
    this.#filterLayouts.clear();
    this.#sampler = undefined;
  }
}
