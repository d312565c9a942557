import type { EventRing } from '../core/events/event-ring.js';
import type { FrameGraph } from '../graph/frame-graph.js';
import { NO_ID } from '../proxy/commands.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import type { MeshStores } from './draws/mesh-pass.js';
import type { GeometryStore } from './geometry/geometry-store.js';
import type { DisplayColors } from './keys/display-colors.js';
import { DrawStates } from './keys/draw-states.js';
import { PassFormat } from './keys/pass-format.js';
import { LightCode } from './lights/light-store.js';
import type { MaterialTable } from './materials/material-table.js';
import type { ToneMapPipelines } from './picture/tone-map-pass.js';
import { ViewOutput } from './picture/view-output.js';
import { RenderFeatures } from './render-features.js';
import { Scene } from './scene/scene.js';
import { SceneCommands } from './scene/scene-commands.js';
import type { ViewParameters } from './scene/view-parameters.js';
import { SceneRenderer } from './scene-renderer.js';
import type { DrawnView } from './views/drawn-view.js';
import type { ViewLook } from './views/view-look.js';

/** Parts that all worlds of a renderer share. */
export interface SharedByWorlds {
  readonly rhi: ImmediateContext;
  readonly geometries: GeometryStore;
  readonly materials: MaterialTable;
  readonly toneMaps: ToneMapPipelines;
  readonly display: DisplayColors;
  /** Event ring of the renderer's thread. */
  readonly events: EventRing;
}

/**
 * One world on the render thread (SYSTEMS G1), like the `FScene` of a `UWorld`. It has a scene, the features
 * that were added to it, and the renderer of its views. Geometry, materials, textures and tone mapping are
 * shared by all worlds.
 *
 *   Renderer ─┬─ geometries, materials, tone mapping, frame graph, surface
 *             └─ worlds ─► WorldRenderer ─ Scene, RenderFeatures, SceneRenderer ─► the views that show it
 *             └─ worlds ─► WorldRenderer ─ Scene, RenderFeatures, SceneRenderer ─► the views that show it
 */
export class WorldRenderer {
  readonly rhi: ImmediateContext;
  readonly features = new RenderFeatures();
  readonly scene: Scene;
  readonly stores: MeshStores;
  readonly sceneRenderer: SceneRenderer;
  /** The view of the active camera. */
  readonly mainView: ViewOutput;
  /** Views of this frame whose scene is drawn. The active camera's view is missing if there is no camera. */
  readonly drawn: DrawnView[] = [];
  /** Scene time of the next command list, in seconds; undefined: the scene time of its frame. */
  timeSeconds: number | undefined;
  /** Bits of `PassFormat` of the features in the last frame; −1 before the first. */
  format = -1;
  /** Executes the game's commands for the scene. */
  readonly commands: SceneCommands;
  readonly #toneMaps: ToneMapPipelines;
  readonly display: DisplayColors;

  /** @param suffix suffix of the names of the active camera's passes */
  constructor(shared: SharedByWorlds, suffix: string) {
    const { rhi, geometries, materials } = shared;
    this.rhi = rhi;
    this.#toneMaps = shared.toneMaps;
    this.display = shared.display;
    const drawStates = new DrawStates();
    const scene = new Scene(geometries, materials, drawStates);
    this.scene = scene;
    this.commands = new SceneCommands(scene, geometries, materials);
    this.stores = { scene, geometries, drawStates };
    this.sceneRenderer = new SceneRenderer(rhi, this.stores, this.features, shared);
    this.mainView = this.createOutput(scene.view, suffix, NO_ID);
  }

  /** Creates a view with its own picture. @param id see `ViewOutput.id` */
  createOutput(parameters: ViewParameters, suffix: string, id: number): ViewOutput {
    return new ViewOutput(this, this.#toneMaps, parameters, suffix, id);
  }

  /** Whether the next frame must not skip a draw of this world, see `Renderer.mustNotSkip`. */
  get mustNotSkip(): boolean {
    const { environment, shadows, picking } = this.features;
    return (
      (environment?.isPending ?? false) ||
      (shadows?.isPending ?? false) ||
      (picking?.isPending ?? false) ||
      this.scene.isRestyled ||
      // Primitives need other pipelines if the pass format changes.
      (this.format >= 0 && this.format !== this.#featureFormat)
    );
  }

  /** Returns bits of `PassFormat` of a view in this frame, after `setFormat`. */
  passFormat({ format }: ViewLook): number {
    // The deferred renderer lights each pixel once, so its targets are not multisampled.
    const isDeferred = (this.format & PassFormat.deferred) !== 0;
    return this.format | (isDeferred ? format & ~PassFormat.multisampled : format);
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
    this.drawn.length = 0;
    scene.update();
    scene.deformers?.upload(rhi);
    this.features.environment?.record();
  }

  /** Per frame, outside passes: finds the part of the pass format that all views of the world have. */
  setFormat(): void {
    this.format = this.#featureFormat;
    this.scene.lights.keepCodes(this.features.shadows);
  }

  /**
   * Per frame, outside passes, after `setFormat`: prepares the drawn views.
   * @param timeSeconds scene time of the frame
   */
  prepare(frame: number, timeSeconds: number): void {
    for (const { state } of this.drawn) state.view.setTime(this.timeSeconds ?? timeSeconds);
    this.sceneRenderer.prepare(this.drawn, frame);
  }

  /** Per frame, after `prepare`: adds passes that write resources of all views, and picks. */
  addPasses(graph: FrameGraph): void {
    const { environment, shadows, picking } = this.features;
    environment?.addPasses(graph);
    shadows?.addPasses(graph);
    picking?.addPasses(graph, this.drawn.length > 0);
  }

  /** Destroys every RHI resource of this world. The scene itself is left to the garbage collector. */
  dispose(): void {
    const { rhi, scene, features } = this;
    features.picking?.dispose();
    this.mainView.dispose();
    this.sceneRenderer.dispose();
    features.environment?.dispose();
    features.shadows?.dispose();
    features.clusters?.dispose();
    scene.gpuScene.dispose(rhi);
    scene.deformers?.dispose(rhi);
  }
}
