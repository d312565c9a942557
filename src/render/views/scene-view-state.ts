import type { FrameGraph } from '../../graph/frame-graph.js';
import type { PassBuilder, PassContext } from '../../graph/graph-pass.js';
import type { BindGroupHandle, BufferHandle } from '../../rhi/commands/descriptors.js';
import type { DynamicAllocation, DynamicBuffers } from '../../rhi/memory/dynamic-buffers.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuView } from '../buffers/gpu-layouts.js';
import { UNIFORM_SLOT_BYTES } from '../buffers/gpu-struct.js';
import type { GrowingBuffer } from '../buffers/growing-buffer.js';
import { MeshPass, type MeshStores, type PassPolicy } from '../draws/mesh-pass.js';
import { FrameBindings, type FrameLayout } from '../pipelines/frame-bindings.js';
import type { ViewParameters } from '../scene/view-parameters.js';
import { ScenePass } from './scene-pass.js';
import { SceneTargets } from './scene-targets.js';
import { View } from './view.js';
import { ViewHistory } from './view-history.js';
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
 *   parameters ─► view ─► cull ─► draw list ─► passes of the frame graph, over the view's targets
 *                                                prepare ─► bind     bind group 0, with textures of the graph
 *                                                execute ─► record   draws with the group
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
  /** Matrices and jitter of the last frame that drew the view. */
  readonly history = new ViewHistory();
  /** Draws the view instead of `scenePass`. */
  renderer: ViewRenderer | undefined;
  readonly #bindings: FrameBindings;
  readonly #layout: FrameLayout;
  readonly #uniforms: DynamicBuffers;
  /** Uniforms of the current frame. */
  #uniformRange!: DynamicAllocation;
  /** Place of the view's uniforms in the last frame. */
  #uniformBuffer: BufferHandle | undefined;
  #uniformOffset = 0;
  /** Increases when the place changes. */
  #placeVersion = 0;
  /** Whether a pass of this frame has updated bind group 0. */
  #isBound = false;
  /** The buffers from binding 1 on. */
  readonly #frameBuffers = (): readonly BufferHandle[] => {
    const { gpuScene, materials } = this.#stores.scene;
    return [gpuScene.buffer, this.meshes.instances.handle, materials.buffer, this.#lights.handle];
  };

  readonly parameters: ViewParameters;
  /** Suffix that distinguishes the names of the view's passes and textures from those of other views. */
  readonly suffix: string;
  readonly #stores: MeshStores;
  readonly #lights: GrowingBuffer;

  /** @param lights packed lights of the scene @param uniforms memory of the views' uniforms @param suffix see `SceneRenderer.createView` */
  constructor(
    rhi: ImmediateContext,
    stores: MeshStores,
    parameters: ViewParameters,
    policy: PassPolicy,
    layout: FrameLayout,
    lights: GrowingBuffer,
    uniforms: DynamicBuffers,
    suffix: string,
  ) {
    this.#stores = stores;
    this.parameters = parameters;
    this.#lights = lights;
    this.#uniforms = uniforms;
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
   * Per frame, outside passes, after lights have been packed: records the uploads and pipelines that drawing the view
   * needs.
   * @param lightCount number of lights that every pixel loops over
   */
  prepare(lightCount: number): void {
    const { view } = this;
    view.setLights(lightCount, this.#stores.scene.lights, this.index);
    this.#writeUniforms();
    this.meshes.prepare(view.forward);
    this.#isBound = false;
  }

  /** Declares the textures that bind group 0 reads, in the set-up of a pass that draws with it. */
  declareReads(builder: PassBuilder): void {
    this.#layout.declareReads(builder);
  }

  /**
   * Takes the textures of bind group 0 from the graph, in the `prepare` of a pass that draws with it. The frame's first
   * such pass creates the group again if a resource was replaced.
   * @throws GraphError `graph-access-undeclared` if a checked pass has not called `declareReads`
   */
  bind(context: PassContext): void {
    this.#layout.resolve(context);
    if (this.#isBound) return;
    this.#isBound = true;
    const { materials, gpuScene } = this.#stores.scene;
    const { meshes } = this;
    const buffersVersion =
      this.#lights.version + meshes.instances.version + materials.version + gpuScene.version;
    this.#bindings.record(buffersVersion + this.#placeVersion, this.#uniformRange, this.#frameBuffers);
    meshes.bind(this.#bindings.bindGroup);
  }

  /** Returns bind group 0, in the `execute` of a pass whose `prepare` has called `bind`. @throws as `bind` */
  bindGroup(context: PassContext): BindGroupHandle {
    this.#layout.resolve(context);
    return this.#bindings.bindGroup;
  }

  /** Records the meshes, in the `execute` of a pass whose `prepare` has called `bind`. @throws as `bind` */
  record(context: PassContext, section = 0): void {
    this.#layout.resolve(context);
    this.meshes.record(section);
  }

  dispose(): void {
    this.isDisposed = true;
    this.renderer?.dispose();
    this.meshes.dispose();
    this.#bindings.dispose();
  }

  /** Writes the view's uniforms, which are valid for this frame (SYSTEMS L5). */
  #writeUniforms(): void {
    const uniforms = this.#uniforms.allocate(GpuView.byteLength, UNIFORM_SLOT_BYTES, 'view');
    const { buffer, byteOffset } = uniforms;
    uniforms.words.set(this.view.packedWords, uniforms.firstWord);
    uniforms.commit();
    if (buffer !== this.#uniformBuffer || byteOffset !== this.#uniformOffset) this.#placeVersion++;
    this.#uniformBuffer = buffer;
    this.#uniformOffset = byteOffset;
    this.#uniformRange = uniforms;
  }
}
