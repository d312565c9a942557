import type { PassBuilder, PassContext } from '../../graph/graph-pass.js';
import {
  type BindGroupEntry,
  type BindGroupHandle,
  type BindGroupLayoutHandle,
  type BufferHandle,
  ShaderStage,
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
   * Declares reads of the entries that passes of the frame write. Called in the set-up of a pass that draws
   * with bind group 0.
   */
  declareReads?(builder: PassBuilder): void;
  /**
   * Takes the entries that passes of the frame write from the graph. Called in `prepare` and `execute` of each pass
   * that draws with bind group 0.
   * @throws GraphError `graph-access-undeclared` if the pass is checked and has not declared its reads
   */
  resolve?(context: PassContext): void;
}

/** The layout of bind group 0, the same for all views. */
export class FrameLayout {
  readonly extensions: FrameExtension[] = [];
  /** Increases when the layout changes. */
  version = 0;
  #handle: BindGroupLayoutHandle | undefined;

  readonly #rhi: ImmediateContext;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  /** Adds bindings to the group. */
  extend(extension: FrameExtension): void {
    this.dispose();
    this.version++;
    this.extensions.push(extension);
  }

  get handle(): BindGroupLayoutHandle {
    const storage = { type: 'read-only-storage' } as const;
    this.#handle ??= this.#rhi.createBindGroupLayout({
      label: 'frame',
      entries: [
        { binding: 0, visibility: ShaderStage.vertex | ShaderStage.fragment, buffer: { type: 'uniform' } },
        { binding: 1, visibility: ShaderStage.vertex, buffer: storage },
        { binding: 2, visibility: ShaderStage.vertex, buffer: storage },
        { binding: 3, visibility: ShaderStage.vertex | ShaderStage.fragment, buffer: storage },
        { binding: 4, visibility: ShaderStage.fragment, buffer: storage },
        ...this.extensions.flatMap(({ layout }) => layout),
      ],
    });
    return this.#handle;
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
    this.#handle = undefined;
  }
}

/**
 * Bind group 0 of a view: the resources that all its draws share. The view is a dynamic allocation (SYSTEMS L5), which
 * has the same place in equal frames. All other buffers are bound whole. So the group is created again only when a
 * buffer, the view's place or the layout changes.
 *
 *   0 view (uniform) │ 1 primitives │ 2 instances │ 3 materials │ 4 lights      (storage, read-only)
 *   5 to 9: environment, 10 to 12: shadow maps, 13 to 15: deformers, 16 and 17: clusters of lights; each only while the feature
 *   is in use (`environment/`, `shadows/`, `deformers/`, `clusters/`)
 */
export class FrameBindings {
  #group: BindGroupHandle | undefined;
  #groupVersion = -1;

  readonly #rhi: ImmediateContext;
  readonly #layout: FrameLayout;

  constructor(rhi: ImmediateContext, layout: FrameLayout) {
    this.#rhi = rhi;
    this.#layout = layout;
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
   */
  record(buffersVersion: number, view: DynamicAllocation, buffers: () => readonly BufferHandle[]): void {
    const { extensions } = this.#layout;
    let version = buffersVersion + this.#layout.version;
    for (const extension of extensions) version += extension.version;
    if (version === this.#groupVersion) return;
    this.#groupVersion = version;
    this.#rhi.destroy(this.#group);
    this.#group = this.#rhi.createBindGroup({
      label: 'frame',
      layout: this.#layout.handle,
      entries: [
        { binding: 0, buffer: view.buffer, byteOffset: view.byteOffset, byteLength: view.byteLength },
        ...buffers().map((buffer, index) => ({ binding: index + 1, buffer })),
        ...extensions.flatMap(({ entries }) => entries),
      ],
    });
  }

  dispose(): void {
    this.#rhi.destroy(this.#group);
    this.#group = undefined;
    this.#groupVersion = -1;
  }
}
