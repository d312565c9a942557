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

/** Pipelines that smooth the edges of all views, by whether some colours have a target of their own. */
export class SmoothingPipelines {
  readonly #made: (Smoothing | undefined)[] = [];
  readonly #rhi: ImmediateContext;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  /** Outside passes where it is a new one. @param targets 1, or 2 with one for unmapped colours */
  get(targets: 1 | 2): Smoothing {
    const made = this.#made[targets] ?? this.#create(targets);
    this.#made[targets] = made;
    return made;
  }

  dispose(): void {
    for (const made of this.#made) {
      this.#rhi.destroy(made?.pipeline);
      this.#rhi.destroy(made?.layout);
    }
    this.#made.length = 0;
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
      code: `${code}${targets === 2 ? unmappedCode : mappedCode}`,
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
 * Behind all that draws the scene of a view in the deferred renderer, where edges are to be smooth: each surface has one sample per pixel,
 * so they are found in the picture (`shaders/edge-smoothing.wgsl`). It writes other textures, which take the place of the scene's.
 */
export class SmoothingPass implements GraphPass {
  readonly name: string;
  readonly kind = 'raster';
  /** Scene colour, and unmapped colours where they have a target: what is read, of this frame. */
  readonly #sources: GraphTexture[] = [];
  #descriptors: readonly GraphTextureDescriptor[] = [];
  #bindGroup: BindGroupHandle | undefined;
  /** Textures that the bind group names. */
  readonly #named: (TextureHandle | undefined)[] = [];

  readonly #rhi: ImmediateContext;
  readonly #state: SceneViewState;
  readonly #pipelines: SmoothingPipelines;
  /** Ends the names of its textures and its own. */
  readonly #suffix: string;
  /** Texture that takes the place of scene colour in this frame. */
  result!: GraphTexture;

  /** @param place among those of the view, from 1 on */
  constructor(rhi: ImmediateContext, state: SceneViewState, pipelines: SmoothingPipelines, place: number) {
    this.#rhi = rhi;
    this.#state = state;
    this.#pipelines = pipelines;
    this.#suffix = `${place > 1 ? ` ${place}` : ''}${state.suffix}`;
    this.name = `edge smoothing${this.#suffix}`;
  }

  /** Scene colour as it was drawn, of this frame. */
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
      layout: this.#made.layout,
      entries: named.map((texture, binding) => ({ binding, view: { texture: texture as TextureHandle } })),
    });
  }

  execute({ rhi }: PassContext): void {
    rhi.setGraphicsPipeline(this.#made.pipeline);
    rhi.setBindGroup(0, this.#bindGroup as BindGroupHandle);
    rhi.draw(3);
  }

  dispose(): void {
    this.#rhi.destroy(this.#bindGroup);
    this.#bindGroup = undefined;
  }

  get #made(): Smoothing {
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

/** Every pixel is written. */
const OVER_ALL = { clear: [0, 0, 0, 0] } as const;
