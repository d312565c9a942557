import type { EventRing } from '../core/events/event-ring.js';
import type { FrameMemory } from '../core/memory/frame-memory.js';
import type { FrameGraph } from '../graph/frame-graph.js';
import { NO_ID } from '../proxy/commands.js';
import { BufferUsage } from '../rhi/commands/descriptors.js';
import { writeWordsUnordered } from '../rhi/mapping/unordered-write.js';
import { DynamicBuffers } from '../rhi/memory/dynamic-buffers.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import { OccluderPipelines } from './ambient-occlusion/occluder-pipelines.js';
import { GpuLight } from './buffers/gpu-layouts.js';
import { GrowingBuffer } from './buffers/growing-buffer.js';
import { type CreateMeshPass, MeshPass, type MeshStores } from './draws/mesh-pass.js';
import type { PassPolicy } from './draws/pass-policy.js';
import { Sky } from './environment/sky.js';
import type { GeometryStore } from './geometry/geometry-store.js';
import type { DisplayColors } from './keys/display-colors.js';
import { DrawStates } from './keys/draw-states.js';
import { debugViewOf, PassFormat, withoutShadows } from './keys/pass-format.js';
import { LightCode } from './lights/light-store.js';
import type { MaterialTable } from './materials/material-table.js';
import type { ToneMapPipelines } from './picture/tone-map-pass.js';
import { ViewPicture } from './picture/view-picture.js';
import { FrameLayout } from './pipelines/frame-bindings.js';
import { PipelineCache } from './pipelines/pipeline-cache.js';
import type { ScreenPipelines } from './pipelines/screen-pipelines.js';
import { RenderFeatures } from './render-features.js';
import { Scene } from './scene/scene.js';
import { SceneCommands } from './scene/scene-commands.js';
import type { ViewParameters } from './scene/view-parameters.js';
import { SceneRenderer } from './scene-renderer.js';
import { MovedPipelines } from './temporal/moved-pipelines.js';
import { PreviousPoses } from './temporal/previous-poses.js';
import { TemporalPipelines } from './temporal/temporal-pipelines.js';
import { Transmission } from './transmission/transmission.js';
import { WeightedPasses } from './transparency/weighted-passes.js';
import { SceneViewState } from './views/scene-view-state.js';
import type { ViewLook } from './views/view-look.js';

/** Bytes of a page of uniforms, enough for 64 views. */
const UNIFORM_PAGE_BYTES = 2 ** 14;

/** Parts that all worlds of a renderer share. */
export interface SharedByWorlds {
  readonly rhi: ImmediateContext;
  readonly geometries: GeometryStore;
  readonly materials: MaterialTable;
  readonly toneMaps: ToneMapPipelines;
  readonly screenPipelines: ScreenPipelines;
  readonly display: DisplayColors;
  /** Arrays of the current frame. */
  readonly frameMemory: FrameMemory;
  /** Event ring of the renderer's thread. */
  readonly events: EventRing;
}

/**
 * The lasting part of one world on the render thread (SYSTEMS G1), like Unreal's `FScene` of a `UWorld`. It has a
 * scene, the features that were added to it, and the state of its views. Geometry, materials, textures and tone mapping
 * are shared by all worlds. A `SceneRenderer` draws each frame of the world.
 */
export class WorldRenderer {
  readonly rhi: ImmediateContext;
  readonly features = new RenderFeatures();
  readonly scene: Scene;
  readonly stores: MeshStores;
  readonly layout: FrameLayout;
  readonly pipelines: PipelineCache;
  readonly transmission: Transmission;
  readonly weightedPasses: WeightedPasses;
  /** The view of the active camera. */
  readonly mainView: ViewPicture;
  /** Counts of the last frame. */
  readonly stats = { primitives: 0, visible: 0 };
  /** Event ring of the renderer's thread. */
  readonly events: EventRing;
  readonly #lights = new GrowingBuffer('lights');
  /** Uniforms of the views, for one frame each (SYSTEMS L5). */
  readonly #uniforms: DynamicBuffers;
  /** Renderer of the current frame; between frames, of the last frame. */
  #frameScene: SceneRenderer;
  /** Whether the latest frame draws views of the world. */
  isDrawn = false;
  /** `isDrawn` of the latest frame, during a list of a capture. */
  #wasDrawn = false;
  /** Scene time of the next command list, in seconds; undefined: the scene time of its frame. */
  timeSeconds: number | undefined;
  /** Bits of `PassFormat` of the features in the latest frame; −1 before the first frame. */
  format = -1;
  /** Executes the game's commands for the scene. */
  readonly commands: SceneCommands;
  #occluders: OccluderPipelines | undefined;
  #moved: MovedPipelines | undefined;
  #poses: PreviousPoses | undefined;
  #temporalPipelines: TemporalPipelines | undefined;
  readonly #toneMaps: ToneMapPipelines;
  readonly #screenPipelines: ScreenPipelines;
  /** Fog in front of a plain background. */
  readonly #fog: Sky;
  readonly display: DisplayColors;

  /** @param suffix suffix of the names of the active camera's passes */
  constructor(shared: SharedByWorlds, suffix: string) {
    const { rhi, geometries, materials } = shared;
    this.rhi = rhi;
    this.#toneMaps = shared.toneMaps;
    this.#screenPipelines = shared.screenPipelines;
    this.display = shared.display;
    const drawStates = new DrawStates();
    const scene = new Scene(geometries, materials, drawStates);
    this.scene = scene;
    materials.scenes.add(scene);
    this.commands = new SceneCommands(scene, geometries, materials);
    this.stores = { scene, geometries, drawStates, frameMemory: shared.frameMemory };
    this.events = shared.events;
    this.layout = new FrameLayout(rhi);
    this.pipelines = new PipelineCache(rhi, this.layout, scene, shared.display);
    this.#fog = new Sky(rhi, this.layout, this.pipelines, 'Fog');
    this.transmission = new Transmission(rhi, shared.screenPipelines);
    this.weightedPasses = new WeightedPasses(rhi);
    this.#uniforms = new DynamicBuffers(rhi, { usage: BufferUsage.uniform, pageBytes: UNIFORM_PAGE_BYTES });
    this.mainView = this.createPicture(scene.view, suffix, NO_ID);
    this.#frameScene = new SceneRenderer(this, 0);
    this.#frameScene.end();
  }

  /** Creates a view with its own picture. @param id see `ViewPicture.id` */
  createPicture(parameters: ViewParameters, suffix: string, id: number): ViewPicture {
    return new ViewPicture(this, this.#toneMaps, this.#screenPipelines, parameters, suffix, id);
  }

  /**
   * Creates the state of a view.
   * @param suffix distinguishes the names of the view's passes and textures from those of other views
   * @param policy decides how meshes are drawn
   */
  createView(parameters: ViewParameters, suffix: string, policy: PassPolicy): SceneViewState {
    const { rhi, stores, layout } = this;
    const [lights, uniforms] = [this.#lights, this.#uniforms];
    return new SceneViewState(rhi, stores, parameters, policy, layout, lights, uniforms, suffix);
  }

  /** Creates a pass of the scene for a feature. */
  readonly createPass: CreateMeshPass = (policy, label) => new MeshPass(this.rhi, this.stores, policy, label);

  /** Pipelines of ambient occlusion. */
  get occluders(): OccluderPipelines {
    this.#occluders ??= new OccluderPipelines(this.rhi, this.scene, this.layout, this.pipelines);
    return this.#occluders;
  }

  /** Pipelines that draw motion. */
  get moved(): MovedPipelines {
    this.#moved ??= new MovedPipelines(this.rhi, this.scene, this.layout);
    return this.#moved;
  }

  /** Poses of the last frame, for motion. */
  get poses(): PreviousPoses {
    this.#poses ??= new PreviousPoses(this.rhi, this.scene);
    return this.#poses;
  }

  /** Pipelines of temporal smoothing. */
  get temporalPipelines(): TemporalPipelines {
    this.#temporalPipelines ??= new TemporalPipelines(this.rhi);
    return this.#temporalPipelines;
  }

  /** The environment as the background of the views; undefined if they show none. */
  get sky(): Sky | undefined {
    const { environment } = this.features;
    return environment?.hasBackground ? environment.sky : undefined;
  }

  /**
   * Returns what is drawn behind the meshes: the environment, or the fog in front of a plain background. Nothing is
   * drawn behind them in debug views.
   */
  backdrop(format: number): Sky | undefined {
    if (debugViewOf(format) !== 0) return undefined;
    return this.sky ?? (format & PassFormat.fog ? this.#fog : undefined);
  }

  get frameScene(): SceneRenderer {
    return this.#frameScene;
  }

  /** Whether the next frame must not skip a draw of this world, see `Renderer.mustNotSkip`. */
  get mustNotSkip(): boolean {
    const { environment, shadows, picking, catchers, particles } = this.features;
    return (
      (environment?.isPending ?? false) ||
      (shadows?.isPending ?? false) ||
      (picking?.isPending ?? false) ||
      (catchers?.isPending ?? false) ||
      (particles?.isPending ?? false) ||
      this.scene.isRestyled ||
      // Primitives need other pipelines if the pass format changes.
      (this.format >= 0 && this.format !== this.#featureFormat)
    );
  }

  /** Returns bits of `PassFormat` of a view in this frame, after `beginFrame`. */
  passFormat({ format, debugView, hasShadows }: ViewLook): number {
    const ofWorld = hasShadows ? this.format : withoutShadows(this.format);
    if (debugView !== 0) return (ofWorld & ~PassFormat.deferred) | format;
    // The deferred renderer lights each pixel once, so its targets are not multisampled.
    const isDeferred = (ofWorld & PassFormat.deferred) !== 0;
    return ofWorld | (isDeferred ? format & ~PassFormat.multisampled : format);
  }

  /** Bits of `PassFormat` of the world's features. */
  get #featureFormat(): number {
    const { environment, shadows, clusters, deferred } = this.features;
    return (
      (deferred?.isOn ? PassFormat.deferred : 0) |
      (environment?.passFormat ?? 0) |
      (shadows?.passFormat ?? 0) |
      (clusters ? PassFormat.clusters : 0) |
      (this.scene.deformers ? PassFormat.deformers : 0) |
      this.#lightFormat
    );
  }

  /**
   * Bits of `PassFormat` for lights. The first frame's pipelines are created before the scene exists and
   * assume a sun.
   */
  get #lightFormat(): number {
    const { environment, shadows } = this.features;
    const codes = this.scene.lights.codes(shadows);
    const hasOthers = (codes & LightCode.loop) !== 0;
    const isSunMissed = (codes & LightCode.sun) === 0 && (hasOthers || environment?.isOn || shadows);
    return (
      (isSunMissed ? PassFormat.noSun : 0) |
      (hasOthers ? PassFormat.lightLoop : 0) |
      (codes & LightCode.spots ? PassFormat.spotLights : 0)
    );
  }

  /** Per frame, after geometry and materials have been uploaded: updates the scene. */
  update(): void {
    const { rhi, scene } = this;
    scene.update();
    scene.deformers?.upload(rhi);
    this.features.environment?.record();
    this.features.decals?.record();
    this.features.catchers?.record();
    this.features.particles?.record();
  }

  /** Per frame, outside passes, before the frame's views are known: creates the frame's renderer. */
  beginFrame(frame: number): void {
    this.format = this.#featureFormat;
    this.scene.lights.keepCodes(this.features.shadows);
    this.#frameScene = new SceneRenderer(this, frame);
  }

  /**
   * Per frame, outside passes: prepares the views.
   * @param timeSeconds scene time of the frame
   * @param isRedrawn see `SceneRenderer.prepare`
   */
  prepare(timeSeconds: number, isRedrawn: boolean): void {
    this.isDrawn = this.#frameScene.views.length > 0;
    this.#frameScene.prepare(this.timeSeconds ?? timeSeconds, isRedrawn);
  }

  endFrame(): void {
    this.#frameScene.end();
    this.#poses?.endList();
  }

  /** Per list of a capture: as `beginFrame`. */
  beginCapture(frame: number): void {
    this.#wasDrawn = this.isDrawn;
    this.beginFrame(frame);
  }

  /** Per list of a capture: ends it. The next frame follows the last frame, as if there was no capture. */
  endCapture(): void {
    this.#frameScene.end();
    this.#poses?.endList();
    this.isDrawn = this.#wasDrawn;
  }

  /** Per frame: packs and uploads the lights. @returns whether they have changed since the last frame */
  uploadLights(): boolean {
    const { rhi } = this;
    const { lights, nodes, renderOrigin } = this.scene;
    const areNew = lights.pack(nodes.world, renderOrigin);
    if (this.#lights.reserve(rhi, Math.max(1, lights.count) * GpuLight.byteLength) || areNew) {
      writeWordsUnordered(
        rhi.writer,
        this.#lights.handle,
        0,
        lights.packedWords,
        0,
        lights.count * GpuLight.words,
      );
    }
    return areNew;
  }

  /** Per frame, after `prepare`: adds passes that write resources of all views, and picks. */
  addPasses(graph: FrameGraph): void {
    const { environment, shadows, picking, catchers, particles } = this.features;
    environment?.addPasses(graph);
    shadows?.addPasses(graph);
    if (this.isDrawn) catchers?.addPasses(graph);
    if (this.isDrawn) particles?.addPasses(graph);
    picking?.addPasses(graph, this.#frameScene.views);
  }

  /** Per frame, after the passes of all views: adds the pass that keeps poses for the next frame. */
  addLastPasses(graph: FrameGraph): void {
    this.#poses?.addTo(graph);
  }

  /** Destroys every RHI resource of this world. The scene itself is left to the garbage collector. */
  dispose(): void {
    const { rhi, scene, features } = this;
    scene.materials.scenes.delete(scene);
    features.picking?.dispose();
    this.mainView.dispose();
    features.deferred?.dispose();
    this.#occluders?.dispose();
    this.#moved?.dispose();
    this.#poses?.dispose();
    this.#temporalPipelines?.dispose();
    this.weightedPasses.dispose();
    this.#fog.dispose();
    this.layout.dispose();
    this.pipelines.dispose();
    this.#lights.dispose(rhi);
    this.#uniforms.dispose();
    features.environment?.dispose();
    features.shadows?.dispose();
    features.clusters?.dispose();
    features.decals?.dispose();
    features.catchers?.dispose();
    features.particles?.dispose();
    scene.gpuScene.dispose(rhi);
    scene.deformers?.dispose(rhi);
  }
}
