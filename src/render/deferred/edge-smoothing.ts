import coverCode from '../../../shaders/cover-target.wgsl?raw';
import code from '../../../shaders/edge-smoothing.wgsl?raw';
import mappedCode from '../../../shaders/edge-smoothing-mapped.wgsl?raw';
import unmappedCode from '../../../shaders/edge-smoothing-unmapped.wgsl?raw';
import type {
  GraphPass,
  GraphTexture,
  GraphTextureDescriptor,
  PassBuilder,
  PassContext,
} from '../../graph/graph-pass.js';
import {
  type BindGroupHandle,
  type BindGroupLayoutHandle,
  type GraphicsPipelineHandle,
  ShaderStage,
  type TextureHandle,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { SCENE_COLOR_FORMAT } from '../keys/display-colors.js';
import type { SceneViewState } from '../views/scene-view-state.js';

interface Smoothing {
  readonly pipeline: GraphicsPipelineHandle;
  readonly layout: BindGroupLayoutHandle;
}

/**
 * Pipelines that smooth the edges of all views: one for views with a target for unmapped colours, one for
 * views without it.
 */
export class SmoothingPipelines {
  readonly #smoothings: (Smoothing | undefined)[] = [];
  readonly #rhi: ImmediateContext;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  /**
   * Returns the pipeline. The first call for a number of targets creates the pipeline, so that call must be outside
   * passes.
   * @param targets 2 with a target for unmapped colours, else 1
   */
  get(targets: 1 | 2): Smoothing {
    const made = this.#smoothings[targets] ?? this.#create(targets);
    this.#smoothings[targets] = made;
    return made;
  }

  dispose(): void {
    for (const made of this.#smoothings) {
      this.#rhi.destroy(made?.pipeline);
      this.#rhi.destroy(made?.layout);
    }
    this.#smoothings.length = 0;
  }

  #create(targets: 1 | 2): Smoothing {
    const rhi = this.#rhi;
    const label = 'edge smoothing';
    const texture = { sampleType: 'unfilterable-float' } as const;
    const bindings = [0, 1].slice(0, targets);
    const layout = rhi.createBindGroupLayout({
      label,
      entries: bindings.map((binding) => ({ binding, visibility: ShaderStage.fragment, texture })),
    });
    const module = rhi.createShaderModule({
      label,
      code: `${coverCode}${code}${targets === 2 ? unmappedCode : mappedCode}`,
    });
    const pipeline = rhi.createGraphicsPipeline({
      label,
      bindGroupLayouts: [layout],
      vertex: { module, entryPoint: 'coverTarget' },
      fragment: {
        module,
        entryPoint: 'smoothEdges',
        targets: bindings.map(() => ({ format: SCENE_COLOR_FORMAT })),
      },
    });
    rhi.destroy(module);
    return { pipeline, layout };
  }
}

/**
 * Smooths the edges of a view in the deferred renderer, after all passes that draw its scene. Surfaces have one sample
 * per pixel, so the pass finds edges in the picture (`shaders/edge-smoothing.wgsl`). The pass writes new textures,
 * which then replace the scene's colour textures.
 */
export class SmoothingPass implements GraphPass {
  readonly name: string;
  readonly kind = 'raster';
  /**
   * Textures that the pass reads in this frame: scene colour, then unmapped colour if the view has a target for it.
   */
  readonly #sources: GraphTexture[] = [];
  #descriptors: readonly GraphTextureDescriptor[] = [];
  #bindGroup: BindGroupHandle | undefined;
  /** Textures that the bind group names. */
  readonly #named: (TextureHandle | undefined)[] = [];

  readonly #rhi: ImmediateContext;
  readonly #state: SceneViewState;
  readonly #pipelines: SmoothingPipelines;
  /** Suffix of the pass's name and of its textures' names. */
  readonly #suffix: string;
  /** Texture that replaces scene colour in this frame. */
  result!: GraphTexture;

  /** @param place number of the pass among the smoothing passes of the view, from 1 */
  constructor(rhi: ImmediateContext, state: SceneViewState, pipelines: SmoothingPipelines, place: number) {
    this.#rhi = rhi;
    this.#state = state;
    this.#pipelines = pipelines;
    this.#suffix = `${place > 1 ? ` ${place}` : ''}${state.suffix}`;
    this.name = `edge smoothing${this.#suffix}`;
  }

  /** Scene colour of this frame before smoothing. */
  get source(): GraphTexture {
    return this.#sources[0] as GraphTexture;
  }
  get unmappedSource(): GraphTexture | undefined {
    return this.#sources[1];
  }

  setup(builder: PassBuilder): void {
    const { targets } = this.#state;
    const { color, unmappedColor } = targets;
    this.#describe();
    this.#sources.length = 0;
    this.#sources.push(color);
    builder.read(color, 'sampled');
    this.result = builder.color(
      builder.createTexture(this.#descriptors[0] as GraphTextureDescriptor),
      OVER_ALL,
    );
    targets.color = this.result;
    if (unmappedColor === undefined) return;
    this.#sources.push(unmappedColor);
    builder.read(unmappedColor, 'sampled');
    targets.unmappedColor = builder.color(
      builder.createTexture(this.#descriptors[1] as GraphTextureDescriptor),
      OVER_ALL,
    );
  }

  prepare(context: PassContext): void {
    const sources = this.#sources;
    const named = this.#named;
    let areSame = this.#bindGroup !== undefined && named.length === sources.length;
    for (let index = 0; index < sources.length; index++) {
      const texture = context.texture(sources[index] as GraphTexture);
      areSame &&= texture === named[index];
      named[index] = texture;
    }
    named.length = sources.length;
    if (areSame) return;
    this.#rhi.destroy(this.#bindGroup);
    this.#bindGroup = this.#rhi.createBindGroup({
      label: 'edge smoothing',
      layout: this.#smoothing.layout,
      entries: named.map((texture, binding) => ({ binding, view: { texture: texture as TextureHandle } })),
    });
  }

  execute({ rhi }: PassContext): void {
    rhi.setGraphicsPipeline(this.#smoothing.pipeline);
    rhi.setBindGroup(0, this.#bindGroup as BindGroupHandle);
    rhi.draw(3);
  }

  dispose(): void {
    this.#rhi.destroy(this.#bindGroup);
    this.#bindGroup = undefined;
  }

  get #smoothing(): Smoothing {
    return this.#pipelines.get(this.#sources.length === 2 ? 2 : 1);
  }

  #describe(): void {
    const { width, height } = this.#state.targets;
    const [first] = this.#descriptors;
    if (first?.width === width && first.height === height) return;
    this.#descriptors = ['smoothed colour', 'smoothed unmapped colour'].map((name) => ({
      name: `${name}${this.#suffix}`,
      width,
      height,
      format: SCENE_COLOR_FORMAT,
    }));
  }
}

/** Options of the pass's targets. The pass writes every pixel, so old contents need not be loaded. */
const OVER_ALL = { clear: [0, 0, 0, 0] } as const;
