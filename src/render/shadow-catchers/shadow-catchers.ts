import type { StreamReader } from '../../core/streams/stream.js';
import type { FrameGraph } from '../../graph/frame-graph.js';
import { RenderOpcode } from '../../proxy/commands.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuView } from '../buffers/gpu-layouts.js';
import type { CreateMeshPass } from '../draws/mesh-pass.js';
import type { DisplayColors } from '../keys/display-colors.js';
import type { FrameLayout } from '../pipelines/frame-bindings.js';
import type { Scene } from '../scene/scene.js';
import { CasterPipelines } from '../shadows/caster-pipelines.js';
import type { DrawnView } from '../views/drawn-view.js';
import { CatcherPass } from './catcher-pass.js';
import { CatcherPipelines } from './catcher-pipelines.js';
import { BelowPass, BlurPass } from './shade-passes.js';
import { ShadowCatcher } from './shadow-catcher.js';

/** The parts of a world that shadow catchers use. */
interface CatcherWorld {
  readonly rhi: ImmediateContext;
  readonly scene: Scene;
  readonly layout: FrameLayout;
  readonly display: DisplayColors;
  readonly createPass: CreateMeshPass;
  readonly features: { readonly shadows: object | undefined };
  readonly mainView: { readonly state: { readonly suffix: string } };
}

/** A catcher, and the passes that draw its textures. The next frame creates the passes. */
interface CatcherEntry {
  readonly catcher: ShadowCatcher;
  passes: readonly [BelowPass, BlurPass, BlurPass] | undefined;
}

/**
 * The shadow catchers of a world: grounds that show only the shadow of the things above them. The shadow needs no light
 * and does not depend on the camera. So it is drawn again only if the ground or a thing above it has changed.
 *
 *   setShadowCatcher ─► ShadowCatcher ─► depth from below ─► blur along X, along Z ─► CatcherPass of each view
 */
export class ShadowCatchers {
  readonly #world: CatcherWorld;
  readonly #entries: CatcherEntry[] = [];
  readonly #byId = new Map<number, ShadowCatcher>();
  /** The catchers in the order of their creation, which is also the order in which views draw them. */
  readonly #catchers: ShadowCatcher[] = [];
  /** Catchers that commands have removed since the last frame. */
  readonly #removed: ShadowCatcher[] = [];
  readonly #casters: CasterPipelines;
  #pipelines: CatcherPipelines | undefined;
  /** Whether the last frame created pipelines. Its draws may have been skipped, so the next frame draws again. */
  #isPending = false;
  #shapesVersion = -1;
  #sceneVersion = -1;
  /** Scene time of the last frame. */
  #timeSeconds = Number.NaN;

  constructor(world: CatcherWorld) {
    const { rhi, scene, layout } = world;
    this.#world = world;
    this.#casters = new CasterPipelines(rhi, scene, layout);
  }

  /** Whether the next frame draws all textures again, because their pipelines are new. It must not skip a draw. */
  get isPending(): boolean {
    return this.#isPending;
  }

  /** Per command: executes the reader's current record. */
  execute(reader: StreamReader): void {
    const { opcode, words, fields } = reader;
    const id = words[fields] as number;
    if (opcode === RenderOpcode.destroyShadowCatcher) this.#remove(id);
    else (this.#byId.get(id) ?? this.#add(id)).set(reader);
  }

  /** Per frame, outside passes: destroys removed catchers. */
  record(): void {
    for (const catcher of this.#removed) catcher.dispose();
    this.#removed.length = 0;
  }

  /**
   * Finds the textures that must be drawn again, and the catchers that each view shows. Called outside passes, in each
   * frame that draws the world. It must follow the culling of the views and precede the preparation of shadow maps.
   */
  prepare(views: readonly DrawnView[]): void {
    const { rhi, layout, display } = this.#world;
    if (this.#catchers.length > 0) {
      this.#pipelines ??= new CatcherPipelines(rhi, layout, display);
      this.#prepareCatchers(views, this.#pipelines);
    }
    const pipelines = this.#pipelines;
    if (!pipelines) return;
    for (const { state } of views) {
      state.catchers ??= new CatcherPass(state, pipelines);
      (state.catchers as CatcherPass).find(this.#catchers);
    }
  }

  /** Per frame, after `prepare`: adds the passes that draw the textures of all placed catchers. */
  addPasses(graph: FrameGraph): void {
    for (const { catcher, passes } of this.#entries) {
      if (!catcher.isPlaced || !passes) continue;
      catcher.addTo(graph);
      for (const pass of passes) graph.addPass(pass);
    }
  }

  dispose(): void {
    this.record();
    for (const catcher of this.#catchers) catcher.dispose();
    this.#catchers.length = this.#entries.length = 0;
    this.#byId.clear();
    this.#casters.dispose();
    this.#pipelines?.dispose();
  }

  #prepareCatchers(views: readonly DrawnView[], pipelines: CatcherPipelines): void {
    const { rhi, scene, features } = this.#world;
    const { primitives, materials, renderOrigin } = scene;
    this.#casters.update();
    const mustDraw = this.#isPending || materials.shapesVersion !== this.#shapesVersion;
    this.#shapesVersion = materials.shapesVersion;
    const timeSeconds = views[0]?.state.view.packed[GpuView.at.timeSeconds] as number;
    if (timeSeconds !== this.#timeSeconds) materials.shaders?.markTimed(primitives);
    this.#timeSeconds = timeSeconds;
    const isSceneSame = scene.version === this.#sceneVersion && !primitives.haveChanged;
    this.#sceneVersion = scene.version;
    let areRedrawn = false;
    for (const entry of this.#entries) {
      const { catcher } = entry;
      entry.passes ??= this.#createPasses(catcher, pipelines);
      catcher.prepare(scene, pipelines, isSceneSame, mustDraw);
      areRedrawn ||= catcher.isRedrawn;
    }
    // Shadow maps read the changed bits later in the frame, and clear them. Without shadow maps, clear the bits here.
    if (!features.shadows) primitives.clearChanged();
    if (areRedrawn) {
      // Culling has written transforms of primitives that no camera's view sees. Upload them too.
      scene.gpuScene.upload(rhi);
      for (const catcher of this.#catchers) {
        if (catcher.isRedrawn) catcher.bind(this.#casters, renderOrigin, timeSeconds);
      }
    }
    pipelines.createBlurs();
    this.#isPending = this.#casters.areNew || pipelines.areNew;
    this.#casters.areNew = pipelines.areNew = false;
  }

  #createPasses(catcher: ShadowCatcher, pipelines: CatcherPipelines): CatcherEntry['passes'] {
    const { name } = catcher;
    const blur = (isFirst: boolean) => new BlurPass(catcher, name, pipelines, isFirst);
    return [new BelowPass(catcher, name, this.#casters), blur(true), blur(false)];
  }

  #add(id: number): ShadowCatcher {
    const { rhi, createPass, mainView } = this.#world;
    const name = `shadow catcher ${id}${mainView.state.suffix}`;
    const catcher = new ShadowCatcher(rhi, createPass, this.#casters, name);
    this.#byId.set(id, catcher);
    this.#catchers.push(catcher);
    this.#entries.push({ catcher, passes: undefined });
    return catcher;
  }

  #remove(id: number): void {
    const catcher = this.#byId.get(id);
    if (!catcher) return;
    this.#removed.push(catcher);
    this.#byId.delete(id);
    const index = this.#catchers.indexOf(catcher);
    this.#catchers.splice(index, 1);
    this.#entries.splice(index, 1);
  }
}
