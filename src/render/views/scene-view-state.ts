import type { FrameGraph } from '../../graph/frame-graph.js';
import type { PassBuilder, PassContext } from '../../graph/graph-pass.js';
import { type BindGroupHandle, type BufferHandle, BufferUsage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { uploadWords } from '../buffers/buffer-upload.js';
import { GpuView } from '../buffers/gpu-layouts.js';
import type { GrowingBuffer } from '../buffers/growing-buffer.js';
import { MeshPass, type MeshStores, type PassPolicy } from '../draws/mesh-pass.js';
import { FrameBindings, type FrameLayout } from '../pipelines/frame-bindings.js';
import type { ViewParameters } from '../scene/view-parameters.js';
import { ScenePass } from './scene-pass.js';
import { SceneTargets } from './scene-targets.js';
import { View } from './view.js';
import type { ViewHistory } from './view-history.js';
import { ViewLook } from './view-look.js';

/** Draws the background behind all meshes, with bind group 0 set. The format is that of the pass, as bits of `PassFormat`. */
export type DrawBehind = (context: PassContext, format: number) => void;

/** Draws the scene of one view instead of the forward renderer. */
export interface ViewRenderer {
  /**
   * Per frame: adds the passes that draw the scene.
   * @param drawBehind draws the background behind all meshes, with bind group 0 set
   */
  addPasses(graph: FrameGraph, drawBehind: DrawBehind | undefined): void;
  /**
   * Takes over the result of a user's pass. Called per frame, after each user's pass over the view.
   * @param isAdded false: the pass has failed
   */
  follow(graph: FrameGraph, isAdded: boolean): void;
  /** Attaches the scene's targets, in the set-up of a user's pass that draws into the scene. */
  attachScene(builder: PassBuilder): void;
  dispose(): void;
}

/**
 * State of a view that is kept from frame to frame (SYSTEMS R11): its draw list, its bind group, its passes.
 *
 *   parameters ─► view ─► cull ─► draw list ─► bind group 0 ─► passes of the frame graph, over the view's targets
 */
export class SceneViewState {
  readonly view = new View();
  readonly targets: SceneTargets;
  readonly look = new ViewLook();
  /** Index among the views of the frame. */
  index = 0;
  /** Width divided by height of the area that the view is drawn into. */
  aspect = 1;
  readonly meshes: MeshPass;
  readonly scenePass: ScenePass;
  isDisposed = false;
  /** Set while users' passes are drawn over the view. */
  history: ViewHistory | undefined;
  /** Draws the view instead of `scenePass`. */
  renderer: ViewRenderer | undefined;
  readonly #bindings: FrameBindings;
  readonly #layout: FrameLayout;
  #viewBuffer: BufferHandle | undefined;
  /** The buffers in the order of their bindings. */
  readonly #frameBuffers = (): readonly BufferHandle[] => {
    const { gpuScene, materials } = this.#stores.scene;
    const view = this.#viewBuffer as BufferHandle;
    return [view, gpuScene.buffer, this.meshes.instances.handle, materials.buffer, this.#lights.handle];
  };

  readonly parameters: ViewParameters;
  /** Suffix that distinguishes the names of the view's passes and textures from those of other views. */
  readonly suffix: string;
  readonly #rhi: ImmediateContext;
  readonly #stores: MeshStores;
  readonly #lights: GrowingBuffer;

  /** @param lights packed lights of the scene @param suffix see `SceneRenderer.createView` */
  constructor(
    rhi: ImmediateContext,
    stores: MeshStores,
    parameters: ViewParameters,
    policy: PassPolicy,
    layout: FrameLayout,
    lights: GrowingBuffer,
    suffix: string,
  ) {
    this.#rhi = rhi;
    this.#stores = stores;
    this.parameters = parameters;
    this.#lights = lights;
    this.suffix = suffix;
    this.targets = new SceneTargets(suffix);
    this.scenePass = new ScenePass(this);
    this.meshes = new MeshPass(rhi, stores, policy, 'instances');
    this.#layout = layout;
    this.#bindings = new FrameBindings(rhi, layout);
  }

  /**
   * Per frame: finds the primitives that the view sees.
   * @param candidates one bit per primitive that it may show
   */
  cull(candidates: Uint32Array): void {
    const { nodes, renderOrigin } = this.#stores.scene;
    this.view.update(this.parameters, nodes.world, renderOrigin, this.aspect);
    this.meshes.cull(this.view.planes, candidates);
  }

  /**
   * Per frame, outside passes, after lights have been packed: records every upload and creation that drawing
   * the view needs.
   * @param lightCount number of lights that every pixel loops over
   */
  prepare(lightCount: number): void {
    const { lights, materials, gpuScene } = this.#stores.scene;
    const { view, meshes } = this;
    view.setLights(lightCount, lights, this.index);
    this.#uploadView();
    meshes.prepare(view.forward);
    this.#bindings.record(
      this.#lights.version + meshes.instances.version + materials.version + gpuScene.version,
      this.#frameBuffers,
    );
    meshes.bind(this.bindGroup);
  }

  /** Declares the textures that bind group 0 reads, in the set-up of a pass that draws with it. */
  declareReads(builder: PassBuilder): void {
    for (const extension of this.#layout.extensions) extension.declareReads?.(builder);
  }

  /** Bind group 0 of all draws of the view. */
  get bindGroup(): BindGroupHandle {
    return this.#bindings.bindGroup;
  }

  dispose(): void {
    this.isDisposed = true;
    this.renderer?.dispose();
    this.meshes.dispose();
    this.#bindings.dispose();
    this.#rhi.destroy(this.#viewBuffer);
    this.#viewBuffer = undefined;
  }

  #uploadView(): void {
    const rhi = this.#rhi;
    this.#viewBuffer ??= rhi.createBuffer({
      label: 'view',
      byteLength: GpuView.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
    uploadWords(rhi, this.#viewBuffer, 0, this.view.packedWords, 0, GpuView.words);
  }
}
