import type { PassBuilder, PassContext } from '../../graph/graph-pass.js';
import {
  type BindGroupEntry,
  type BindGroupHandle,
  type BindGroupLayoutHandle,
  type BufferHandle,
  type SamplerHandle,
  ShaderStage,
  type TextureHandle,
} from '../../rhi/commands/descriptors.js';
import type { DynamicAllocation } from '../../rhi/memory/dynamic-buffers.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';

/** Bindings that a feature adds to bind group 0, after the frame's own bindings. */
export interface FrameExtension {
  readonly layout: readonly GPUBindGroupLayoutEntry[];
  readonly entries: readonly BindGroupEntry[];
  /** Increases when an entry is replaced. */
  readonly version: number;
  /**
   * Declares reads of the entries that are written by passes of the frame. Called in the set-up of a pass that draws
   * with bind group 0.
   */
  declareReads?(builder: PassBuilder): void;
  /**
   * Looks up in the graph the entries that are written by passes of the frame. Called in `prepare` and `execute` of
   * each pass that draws with bind group 0.
   * @throws GraphError `graph-access-undeclared` if the pass is checked and has not declared its reads
   */
  resolve?(context: PassContext): void;
}

/** Bindings of the picture that transmissive surfaces show, in bind group 0. */
enum SceneBinding {
  texture = 18,
  sampler = 19,
}

/** Binding of the texture of ambient occlusion, in bind group 0. */
const OCCLUSION_BINDING = 20;

/**
 * The layouts of bind group 0. A world has one plain layout, one with the scene behind, and one with ambient occlusion.
 * Layouts with further entries are created for motion and for decals.
 */
export class FrameLayout {
  readonly extensions: FrameExtension[] = [];
  /** Increases when the layouts change. */
  version = 0;
  #handle: BindGroupLayoutHandle | undefined;
  #transmissive: BindGroupLayoutHandle | undefined;
  #occluded: BindGroupLayoutHandle | undefined;
  /** The layouts that `further` has created. */
  readonly #further: BindGroupLayoutHandle[] = [];

  readonly #rhi: ImmediateContext;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  /** Adds bindings to the group. Destroys the layouts, which are created again when they are needed. */
  extend(extension: FrameExtension): void {
    this.dispose();
    this.version++;
    this.extensions.push(extension);
  }

  get handle(): BindGroupLayoutHandle {
    this.#handle ??= this.#create('frame', []);
    return this.#handle;
  }

  /** Layout for transmissive draws, which show a picture of the scene (`shaders/scene-behind.wgsl`). */
  get transmissive(): BindGroupLayoutHandle {
    this.#transmissive ??= this.#create('frame, scene behind', [
      { binding: SceneBinding.texture, visibility: ShaderStage.fragment, texture: {} },
      { binding: SceneBinding.sampler, visibility: ShaderStage.fragment, sampler: {} },
    ]);
    return this.#transmissive;
  }

  /** Layout for draws that read ambient occlusion (`shaders/ambient-visibility.wgsl`). */
  get occluded(): BindGroupLayoutHandle {
    this.#occluded ??= this.#create('frame, ambient occlusion', [
      { binding: OCCLUSION_BINDING, visibility: ShaderStage.fragment, texture: {} },
    ]);
    return this.#occluded;
  }

  /**
   * Creates a layout with further entries. It is destroyed when `version` increases.
   * @param isOccluded whether the group contains the texture of ambient occlusion
   */
  further(
    label: string,
    entries: readonly GPUBindGroupLayoutEntry[],
    isOccluded: boolean,
  ): BindGroupLayoutHandle {
    const occlusion = { binding: OCCLUSION_BINDING, visibility: ShaderStage.fragment, texture: {} };
    const layout = this.#create(label, isOccluded ? [...entries, occlusion] : entries);
    this.#further.push(layout);
    return layout;
  }

  #create(label: string, further: readonly GPUBindGroupLayoutEntry[]): BindGroupLayoutHandle {
    const storage = { type: 'read-only-storage' } as const;
    return this.#rhi.createBindGroupLayout({
      label,
      entries: [
        { binding: 0, visibility: ShaderStage.vertex | ShaderStage.fragment, buffer: { type: 'uniform' } },
        { binding: 1, visibility: ShaderStage.vertex, buffer: storage },
        { binding: 2, visibility: ShaderStage.vertex, buffer: storage },
        { binding: 3, visibility: ShaderStage.vertex | ShaderStage.fragment, buffer: storage },
        { binding: 4, visibility: ShaderStage.fragment, buffer: storage },
        ...this.extensions.flatMap(({ layout }) => layout),
        ...further,
      ],
    });
  }

  declareReads(builder: PassBuilder): void {
    for (const extension of this.extensions) extension.declareReads?.(builder);
  }

  /** Twice per pass: see `FrameExtension.resolve`. */
  resolve(context: PassContext): void {
    const { extensions } = this;
    for (let index = 0; index < extensions.length; index++) extensions[index]?.resolve?.(context);
  }

  dispose(): void {
    this.#rhi.destroy(this.#handle);
    this.#rhi.destroy(this.#transmissive);
    this.#rhi.destroy(this.#occluded);
    for (const layout of this.#further) this.#rhi.destroy(layout);
    this.#further.length = 0;
    this.#handle = this.#transmissive = this.#occluded = undefined;
  }
}

/** Entries of bind group 0 that draws of one kind read, besides those of the frame. */
export interface FurtherBindings {
  readonly layout: BindGroupLayoutHandle;
  readonly entries: readonly BindGroupEntry[];
  /** Increases when the layout or an entry is replaced. */
  readonly version: number;
}

/**
 * Bind group 0 of a view: the resources that all its draws share. The view's uniforms are a dynamic allocation (SYSTEMS
 * L5), which has the same place in equal frames. All other buffers are bound as a whole. So the group is created again
 * only when a buffer, the view's place or the layout changes.
 *
 *   0 view (uniform) │ 1 primitives │ 2 instances │ 3 materials │ 4 lights      (storage, read-only)
 *   5 to 9: environment, 10 to 12: shadow maps, 13 to 15: deformers, 16 and 17: clusters of lights; each from the first
 *   use of the feature on (`environment/`, `shadows/`, `deformers/`, `clusters/`)
 *   18 and 19: the scene behind, in the group for transmissive draws (`transmission/`)
 *   20: ambient occlusion, in the group for draws that are lit while the effect is on (`ambient-occlusion/`)
 *   21 and 22: the last view and the last poses, in the group for draws of motion (`temporal/`)
 *   24 to 28: a decal, in the group for surfaces that are drawn again with it (`decals/`)
 */
export class FrameBindings {
  #group: BindGroupHandle | undefined;
  #groupVersion = -1;
  #scene: TextureHandle | undefined;
  #occlusion: TextureHandle | undefined;

  readonly #rhi: ImmediateContext;
  readonly #layout: FrameLayout;
  readonly #further: FurtherBindings | undefined;

  constructor(rhi: ImmediateContext, layout: FrameLayout, further?: FurtherBindings) {
    this.#rhi = rhi;
    this.#layout = layout;
    this.#further = further;
  }

  /** Bind group 0. Valid after `record`. */
  get bindGroup(): BindGroupHandle {
    return this.#group as BindGroupHandle;
  }

  /**
   * Per frame: creates the bind group again if a resource was replaced.
   * @param buffersVersion increases when one of the buffers is replaced, or the view's place changes
   * @param view the view's uniforms
   * @param buffers returns the other buffers in the order of their bindings
   * @param scene picture of the scene for the group of transmissive draws, and its sampler
   * @param occlusion ambient occlusion for the group of draws that read it
   */
  record(
    buffersVersion: number,
    view: DynamicAllocation,
    buffers: () => readonly BufferHandle[],
    scene?: TextureHandle,
    sampler?: SamplerHandle,
    occlusion?: TextureHandle,
  ): void {
    const { extensions } = this.#layout;
    let version = buffersVersion + this.#layout.version + (this.#further?.version ?? 0);
    for (const extension of extensions) version += extension.version;
    const isSame = scene === this.#scene && occlusion === this.#occlusion;
    if (version === this.#groupVersion && isSame) return;
    this.#groupVersion = version;
    this.#scene = scene;
    this.#occlusion = occlusion;
    this.#rhi.destroy(this.#group);
    this.#group = this.#rhi.createBindGroup({
      label: 'frame',
      layout:
        this.#further?.layout ??
        (scene !== undefined
          ? this.#layout.transmissive
          : occlusion !== undefined
            ? this.#layout.occluded
            : this.#layout.handle),
      entries: [
        { binding: 0, buffer: view.buffer, byteOffset: view.byteOffset, byteLength: view.byteLength },
        ...buffers().map((buffer, index) => ({ binding: index + 1, buffer })),
        ...extensions.flatMap(({ entries }) => entries),
        ...(scene !== undefined && sampler !== undefined
          ? [
              { binding: SceneBinding.texture, view: { texture: scene } },
              { binding: SceneBinding.sampler, sampler },
            ]
          : []),
        ...(occlusion !== undefined ? [{ binding: OCCLUSION_BINDING, view: { texture: occlusion } }] : []),
        ...(this.#further?.entries ?? []),
      ],
    });
  }

  dispose(): void {
    this.#rhi.destroy(this.#group);
    this.#group = undefined;
    this.#groupVersion = -1;
  }
}
