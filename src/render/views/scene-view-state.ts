import type { FrameGraph } from '../../graph/frame-graph.js';
import type { GraphTexture, PassBuilder, PassContext } from '../../graph/graph-pass.js';
import type { EffectValues } from '../../proxy/effects.js';
import type {
  BindGroupHandle,
  BufferHandle,
  SamplerHandle,
  TextureHandle,
} from '../../rhi/commands/descriptors.js';
import type { DynamicAllocation, DynamicBuffers } from '../../rhi/memory/dynamic-buffers.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuView } from '../buffers/gpu-layouts.js';
import { UNIFORM_SLOT_BYTES } from '../buffers/gpu-struct.js';
import type { GrowingBuffer } from '../buffers/growing-buffer.js';
import { type CreateMeshPass, MeshPass, type MeshStores } from '../draws/mesh-pass.js';
import type { PassPolicy } from '../draws/pass-policy.js';
import { FrameBindings, type FrameLayout } from '../pipelines/frame-bindings.js';
import type { PassShader } from '../pipelines/pass-shader.js';
import type { ViewParameters } from '../scene/view-parameters.js';
import type { DrawnView } from './drawn-view.js';
import { FrontPass } from './front-pass.js';
import { ScenePass } from './scene-pass.js';
import { SceneTargets } from './scene-targets.js';
import { View } from './view.js';
import type { ViewBlending, ViewDecalDrawer, ViewOverlay, ViewParticles } from './view-drawers.js';
import { ViewHistory } from './view-history.js';
import { ViewLook } from './view-look.js';
import type { ViewRegion } from './view-region.js';

/**
 * Draws the background behind all meshes. Called while bind group 0 is set. `format` is the pass format, as bits of
 * `PassFormat`.
 */
export type DrawBehind = (context: PassContext, format: number) => void;

/** Draws the scene of one view instead of the forward renderer. */
export interface ViewRenderer {
  /**
   * Per frame: adds the passes that draw the scene.
   * @param drawBehind draws the background behind all meshes; called while bind group 0 is set
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

/** Ambient occlusion of a view, while the effect is on. */
export interface ViewAmbientOcclusion {
  /** Code with which shaders read the result. */
  readonly shader: PassShader;
  /** Per frame, outside passes, after the view has been prepared: finds the occluders, and uploads settings. */
  prepare(world: OccludedWorld, view: DrawnView): void;
  /**
   * Per frame, before the scene is lit: adds passes.
   * @param depth depth of the scene's surfaces, if it exists already
   */
  addBeforeLight(graph: FrameGraph, depth?: GraphTexture): void;
  /** Declares the read of the result, in the set-up of a pass that lights surfaces. */
  declareRead(builder: PassBuilder): void;
  /** Returns the result, in `prepare` of such a pass. */
  texture(context: PassContext): TextureHandle;
}

/** Parts of a world that its occluders use. */
export interface OccludedWorld {
  readonly rhi: ImmediateContext;
  readonly stores: MeshStores;
  readonly layout: FrameLayout;
  readonly createPass: CreateMeshPass;
  readonly occluders: { policy(format: number): PassPolicy };
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
  /** Set in frames that draw a part of a larger picture. */
  region: ViewRegion | undefined;
  readonly meshes: MeshPass;
  readonly scenePass: ScenePass;
  isDisposed = false;
  /** Matrices and jitter of the last frame that drew the view. */
  readonly history = new ViewHistory();
  /** Draws the view instead of `scenePass`. */
  renderer: ViewRenderer | undefined;
  /** Draws transmissive surfaces; set once there is a transmissive material. */
  transmission: ViewBlending | undefined;
  /** Adds up blended surfaces with weights; set while the view's look says so. */
  weighting: ViewBlending | undefined;
  /** Draws decals; set once the world has any. */
  decals: ViewDecalDrawer | undefined;
  /** Draws shadow catchers; set once the world has any. */
  catchers: ViewOverlay | undefined;
  /** Draws particles; set once the world has any. */
  particles: ViewParticles | undefined;
  /** Layers that the view shows, one bit each. */
  layers = 0xffffffff;
  /** Computes ambient occlusion before the scene is lit; set while the effect is on. */
  ambientOcclusion: ViewAmbientOcclusion | undefined;
  /** Options of screen-space reflections; set while the effect is on. */
  reflections: EffectValues<'ssr'> | undefined;
  readonly #front: FrontPass;
  readonly #bindings: FrameBindings;
  readonly #litBindings: FrameBindings;
  readonly #layerBindings: FrameBindings;
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
  /** Whether `bindLit` was called in this frame. */
  #isLitBound = false;
  /** The buffers from binding 1 on. */
  readonly #frameBuffers = (): readonly BufferHandle[] => this.buffersWith(this.meshes);

  readonly parameters: ViewParameters;
  /** Suffix that distinguishes the names of the view's passes and textures from those of other views. */
  readonly suffix: string;
  readonly #stores: MeshStores;
  readonly #lights: GrowingBuffer;

  /**
   * @param lights packed lights of the scene
   * @param uniforms memory of the views' uniforms
   * @param suffix see `WorldRenderer.createView`
   */
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
    this.#front = new FrontPass(this);
    this.meshes = new MeshPass(rhi, stores, policy, 'instances');
    this.#layout = layout;
    this.#bindings = new FrameBindings(rhi, layout);
    this.#litBindings = new FrameBindings(rhi, layout);
    this.#layerBindings = new FrameBindings(rhi, layout);
  }

  /**
   * Per frame: finds the primitives that the view sees.
   * @param candidates one bit per primitive that the view may show
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
    view.setLights(lightCount, this.#stores.scene.lights, this.look.hasShadows, this.index);
    this.#writeUniforms();
    this.meshes.separatesBlended = (this.catchers?.isShown ?? false) || (this.decals?.isShown ?? false);
    this.meshes.prepare(view);
    this.#isBound = this.#isLitBound = false;
  }

  /** Declares the textures that bind group 0 reads, in the set-up of a pass that draws with it. */
  declareReads(builder: PassBuilder): void {
    this.#layout.declareReads(builder);
  }

  /** As `declareReads`, for a pass that lights surfaces. */
  declareLitReads(builder: PassBuilder): void {
    this.declareReads(builder);
    this.ambientOcclusion?.declareRead(builder);
  }

  /**
   * Looks up the textures of bind group 0 in the graph, in the `prepare` of a pass that draws with it. The frame's
   * first such pass creates the group again if a resource was replaced.
   * @throws GraphError `graph-access-undeclared` if a checked pass has not called `declareReads`
   */
  bind(context: PassContext): void {
    this.#layout.resolve(context);
    if (this.#isBound) return;
    this.#isBound = true;
    this.#bindings.record(this.#versionWith(this.meshes), this.#uniformRange, this.#frameBuffers);
    this.meshes.bind(this.#bindings.bindGroup, this.ambientOcclusion !== undefined);
  }

  /** As `bind`, for a pass that lights surfaces. */
  bindLit(context: PassContext): void {
    this.bind(context);
    const { ambientOcclusion } = this;
    if (ambientOcclusion === undefined || this.#isLitBound) return;
    this.#isLitBound = true;
    const texture = ambientOcclusion.texture(context);
    this.#litBindings.record(
      this.#versionWith(this.meshes),
      this.#uniformRange,
      this.#frameBuffers,
      undefined,
      undefined,
      texture,
    );
    this.meshes.bindLit(this.#litBindings.bindGroup);
  }

  /**
   * As `bind`, for another pass that draws meshes of the view.
   * @param bindings bindings of that pass
   * @param buffers returns `buffersWith(meshes)`
   * @param isLit whether the pass lights surfaces
   */
  bindOther(
    context: PassContext,
    meshes: MeshPass,
    bindings: FrameBindings,
    buffers: () => readonly BufferHandle[],
    isLit = false,
  ): void {
    this.#layout.resolve(context);
    const version = this.#versionWith(meshes);
    const occlusion = isLit ? this.ambientOcclusion?.texture(context) : undefined;
    bindings.record(version, this.#uniformRange, buffers, undefined, undefined, occlusion);
    meshes.bind(bindings.bindGroup);
  }

  /** Returns the buffers of bind group 0 from binding 1 on. @param meshes pass whose instances are drawn */
  buffersWith({ instances }: MeshPass): readonly BufferHandle[] {
    const { gpuScene, materials } = this.#stores.scene;
    return [gpuScene.buffer, instances.handle, materials.buffer, this.#lights.handle];
  }

  /**
   * As `bind`, for layers of transmissive draws.
   * @param scene picture of the scene behind them
   */
  bindLayers(context: PassContext, scene: TextureHandle, sampler: SamplerHandle): void {
    this.bind(context);
    this.#layerBindings.record(
      this.#versionWith(this.meshes),
      this.#uniformRange,
      this.#frameBuffers,
      scene,
      sampler,
    );
    this.meshes.bindLayers(this.#layerBindings.bindGroup);
  }

  /** Increases when one of the buffers of bind group 0 is replaced. */
  #versionWith({ instances }: MeshPass): number {
    const { materials, gpuScene } = this.#stores.scene;
    return (
      this.#lights.version + instances.version + materials.version + gpuScene.version + this.#placeVersion
    );
  }

  /** Returns bind group 0, in the `execute` of a pass whose `prepare` has called `bind`. @throws as `bind` */
  bindGroup(context: PassContext): BindGroupHandle {
    this.#layout.resolve(context);
    return this.#bindings.bindGroup;
  }

  /** As `bindGroup`, for a pass that lights surfaces and has called `bindLit`. @throws as `bind` */
  litBindGroup(context: PassContext): BindGroupHandle {
    this.#layout.resolve(context);
    return (this.ambientOcclusion ? this.#litBindings : this.#bindings).bindGroup;
  }

  /** Records the meshes, in the `execute` of a pass whose `prepare` has called `bind`. @throws as `bind` */
  record(context: PassContext, section = 0): void {
    this.#layout.resolve(context);
    this.meshes.record(section);
  }

  /** Records a layer of transmissive draws. @throws as `bind` */
  recordLayer(context: PassContext, layer: number): void {
    this.#layout.resolve(context);
    this.meshes.recordLayer(layer);
  }

  /**
   * Per frame, after the opaque scene: adds passes for decals, for shadow catchers, for transmissive surfaces, for
   * weighted ones, for the draws after them, and for particles.
   */
  addBlendedPasses(graph: FrameGraph): void {
    this.decals?.addPasses(graph);
    this.catchers?.addPasses(graph);
    this.particles?.addPasses(graph, true);
    this.transmission?.addPasses(graph);
    this.weighting?.addPasses(graph);
    if (this.meshes.hasFront) graph.addPass(this.#front);
    this.particles?.addPasses(graph, false);
  }

  /** Records the weighted draws. @throws as `bind` */
  recordWeighted(context: PassContext): void {
    this.#layout.resolve(context);
    this.meshes.recordWeighted();
  }

  /** Records the blended draws that have a render pass of their own. @throws as `bind` */
  recordFront(context: PassContext): void {
    this.#layout.resolve(context);
    this.meshes.recordFront();
  }

  dispose(): void {
    this.isDisposed = true;
    this.renderer?.dispose();
    this.transmission?.dispose();
    this.particles?.dispose();
    this.decals?.dispose();
    this.weighting?.dispose();
    this.meshes.dispose();
    this.#bindings.dispose();
    this.#layerBindings.dispose();
    this.#litBindings.dispose();
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
