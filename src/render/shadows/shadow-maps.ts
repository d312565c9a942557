import shadowsCode from '../../../shaders/shadows.wgsl?raw';
import type { StreamReader } from '../../core/streams/stream.js';
import type { FrameGraph } from '../../graph/frame-graph.js';
import type { PassBuilder, PassContext } from '../../graph/graph-pass.js';
import { type BindGroupEntry, ShaderStage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuView } from '../buffers/gpu-layouts.js';
import type { CreateMeshPass, MeshStores } from '../draws/mesh-pass.js';
import { PassFormat } from '../keys/pass-format.js';
import type { FrameExtension, FrameLayout } from '../pipelines/frame-bindings.js';
import type { PassShader } from '../pipelines/pass-shader.js';
import type { DrawnView } from '../views/drawn-view.js';
import {
  aimShadowViews,
  type Caster,
  countSets,
  countViews,
  type ShadedView,
  type ShadowSettings,
} from './aim-shadow-views.js';
import { type AtlasSquare, layOutAtlas } from './atlas-layout.js';
import { CasterPipelines } from './caster-pipelines.js';
import { GpuShadowView } from './gpu-shadow-view.js';
import { ShadowAtlas } from './shadow-atlas.js';
import { ShadowBuffers } from './shadow-buffers.js';
import { ShadowPass } from './shadow-pass.js';
import { ShadowView } from './shadow-view.js';
import { VisibleRange } from './visible-range.js';

/** Visible primitives of a view without shadows. */
const NO_BITS = /* @__PURE__ */ new Uint32Array(0);

/** Entries of bind group 0 in the pipelines' layout, after the bindings of the environment. */
const LAYOUT: readonly GPUBindGroupLayoutEntry[] = [
  { binding: 10, visibility: ShaderStage.fragment, buffer: { type: 'read-only-storage' } },
  { binding: 11, visibility: ShaderStage.fragment, texture: { sampleType: 'depth' } },
  { binding: 12, visibility: ShaderStage.fragment, sampler: { type: 'comparison' } },
];

/**
 * The shadow maps of all lights, in one texture, and the data with which the mesh shader reads them.
 *
 *   setShadow ─► settings ─┐
 *   lights ────────────────┴─► views ─► squares of the atlas
 *   prepare   aim ─► cull ─► if stale: draw list, matrices          per view; unchanged views keep their maps
 *   addPasses one pass over the atlas
 */
export class ShadowMaps implements FrameExtension, PassShader {
  readonly part = 'shadows';
  readonly passBit = PassFormat.shadows;
  readonly shaderCode = `${GpuShadowView.wgsl}${shadowsCode}`;
  readonly layout = LAYOUT;
  readonly #settings = new Map<number, ShadowSettings>();
  readonly #casters: Caster[] = [];
  readonly #views: ShadowView[] = [];
  /** Number of views that lights use. */
  #viewCount = 0;
  /**
   * Shaded parts of the scene, one entry per view of the frame. An entry is created when a frame first has
   * that many views, and updated in each frame.
   */
  readonly #shaded: ShadedView[] = [];
  /** Number of entries in use. */
  #shadedCount = 0;
  readonly #pipelines: CasterPipelines;
  readonly #buffers: ShadowBuffers;
  readonly #atlas: ShadowAtlas;
  readonly #pass: ShadowPass;
  #softFormat = 0;
  #isLayoutStale = true;
  /** Whether the maps were drawn while pipelines may have been missing. */
  #isPending = false;
  #shapesVersion = -1;
  /** Scene time of the last frame. */
  #timeSeconds = Number.NaN;
  #sceneVersion = -1;

  readonly #rhi: ImmediateContext;
  readonly #stores: MeshStores;
  readonly #createPass: CreateMeshPass;
  readonly #largestSize: number;

  /**
   * @param frameLayout layout of bind group 0 of the scene
   * @param largestSize maximum width and height of textures, in texels
   */
  constructor(
    rhi: ImmediateContext,
    stores: MeshStores,
    frameLayout: FrameLayout,
    createPass: CreateMeshPass,
    largestSize: number,
  ) {
    this.#rhi = rhi;
    this.#stores = stores;
    this.#createPass = createPass;
    this.#largestSize = largestSize;
    this.#pipelines = new CasterPipelines(rhi, stores.scene, frameLayout);
    this.#buffers = new ShadowBuffers(rhi, stores.scene, this.#pipelines);
    this.#atlas = new ShadowAtlas(rhi);
    this.#pass = new ShadowPass(this.#atlas, this.#pipelines);
  }

  /**
   * Bits of `PassFormat` for all lights that have ever had maps, so that a light that blinks does not change
   * pipelines.
   */
  get passFormat(): number {
    return PassFormat.shadows | this.#softFormat | (this.#settings.size > 1 ? PassFormat.manyShadows : 0);
  }

  /** Increases when a texture or buffer is replaced. */
  get version(): number {
    return this.#pass.version + this.#buffers.version;
  }

  /**
   * Whether the next frame draws maps again because their pipelines are new. That frame must not skip a draw.
   */
  get isPending(): boolean {
    return this.#isPending;
  }

  /**
   * Returns whether `setShadow` has been executed for the light. The light has maps while it casts shadows.
   */
  has(light: number): boolean {
    return this.#settings.has(light);
  }

  /** Per `setShadow`: executes the reader's current record. */
  execute({ words, floats, fields: at }: StreamReader): void {
    const light = words[at] as number;
    const settings: ShadowSettings = {
      mapSize: words[at + 1] as number,
      cascades: words[at + 2] as number,
      distance: floats[at + 3] as number,
      softness: floats[at + 4] as number,
    };
    const before = this.#settings.get(light);
    const isSame =
      before !== undefined &&
      before.mapSize === settings.mapSize &&
      before.cascades === settings.cascades &&
      before.distance === settings.distance &&
      before.softness === settings.softness;
    if (isSame) return;
    this.#settings.set(light, settings);
    if (settings.softness > 0) this.#softFormat = PassFormat.softShadows;
    this.#isLayoutStale = true;
  }

  /**
   * Per frame, outside passes, before lights are packed: aims all maps and finds the maps that must be drawn
   * again.
   * @param views drawn views, which have been culled
   */
  prepare(views: readonly DrawnView[]): void {
    const { scene } = this.#stores;
    const { primitives } = scene;
    if (views.length !== this.#shadedCount) this.#isLayoutStale = true;
    this.#shadedCount = views.length;
    this.#pipelines.update();
    this.#findCasters();
    if (this.#isLayoutStale) this.#layOut();
    for (let index = 0; index < views.length; index++) this.#shade(index, views[index] as DrawnView);
    const { materials } = scene;
    const { shapesVersion } = materials;
    const mustDrawAll = this.#isPending || shapesVersion !== this.#shapesVersion;
    this.#shapesVersion = shapesVersion;
    this.#isPending = false;
    const timeSeconds = views[0]?.state.view.packed[GpuView.at.timeSeconds] as number;
    if (timeSeconds !== this.#timeSeconds) materials.shaders?.markTimed(primitives);
    this.#timeSeconds = timeSeconds;
    const isSceneSame = scene.version === this.#sceneVersion && !primitives.haveChanged;
    this.#sceneVersion = scene.version;
    const { stale } = this.#pass;
    stale.length = 0;
    for (const caster of this.#casters) {
      const settings = this.#settings.get(caster.light) as ShadowSettings;
      aimShadowViews(this.#views, caster, settings, this.#shaded, scene);
      for (let index = caster.first; index < caster.first + caster.count * caster.sets; index++) {
        const shadowView = this.#views[index] as ShadowView;
        shadowView.isStale ||= mustDrawAll;
        shadowView.cull(primitives, isSceneSame);
        if (!shadowView.isStale) continue;
        shadowView.finish(primitives, this.#atlas, settings.softness);
        shadowView.meshes.prepare(shadowView.sortView);
        stale.push(shadowView);
      }
    }
    primitives.clearChanged();
    // Uploads casters that no camera's view sees.
    if (stale.length > 0) scene.gpuScene.upload(this.#rhi);
    this.#buffers.reserve(this.#viewCount);
    if (stale.length > 0) this.#buffers.upload(this.#views, this.#viewCount, this.#timeSeconds);
    this.#isPending = this.#pipelines.areNew;
    this.#pipelines.areNew = false;
  }

  /** Per frame, after `prepare`: adds the pass that draws stale maps. */
  addPasses(graph: FrameGraph): void {
    this.#pass.addTo(graph);
  }

  declareReads(builder: PassBuilder): void {
    this.#pass.declareRead(builder);
  }

  resolve(context: PassContext): void {
    this.#pass.resolve(context);
  }

  /** Entries of bind group 0. */
  get entries(): readonly BindGroupEntry[] {
    return [
      { binding: 10, buffer: this.#buffers.handle },
      { binding: 11, view: { texture: this.#pass.texture } },
      { binding: 12, sampler: this.#atlas.sampler },
    ];
  }

  dispose(): void {
    const rhi = this.#rhi;
    for (const view of this.#views) view.dispose(rhi);
    this.#views.length = 0;
    this.#pipelines.dispose();
    this.#buffers.dispose();
    this.#atlas.dispose();
  }

  /**
   * Updates the entry of a camera's view. If a light casts shadows, the range of depths that the view sees is
   * measured.
   */
  #shade(index: number, { state }: DrawnView): void {
    const { view, parameters, aspect, meshes, look } = state;
    this.#shaded[index] ??= { view, parameters, aspect, range: new VisibleRange() };
    const shaded = this.#shaded[index] as ShadedView;
    shaded.view = view;
    shaded.parameters = parameters;
    shaded.aspect = aspect;
    if (this.#casters.length === 0) return;
    const { primitives } = this.#stores.scene;
    shaded.range.measure(
      look.hasShadows ? meshes.visibleBits : NO_BITS,
      primitives,
      view.position,
      view.forward,
    );
  }

  /**
   * Marks the layout as stale if a light began or ceased to cast shadows, or needs a different number of
   * maps.
   */
  #findCasters(): void {
    const { lights } = this.#stores.scene;
    let found = 0;
    for (let light = 0; light < lights.length; light++) {
      const settings = lights.castsShadow(light) ? this.#settings.get(light) : undefined;
      if (settings === undefined) continue;
      const caster = this.#casters[found++];
      if (caster?.light === light && caster.count === countViews(lights, light, settings)) continue;
      this.#isLayoutStale = true;
    }
    if (found !== this.#casters.length) this.#isLayoutStale = true;
  }

  #layOut(): void {
    this.#isLayoutStale = false;
    const { lights } = this.#stores.scene;
    this.#casters.length = 0;
    lights.shadowViews.fill(0);
    const squares: AtlasSquare[] = [];
    for (let light = 0; light < lights.length; light++) {
      const settings = lights.castsShadow(light) ? this.#settings.get(light) : undefined;
      if (settings === undefined) continue;
      const first = squares.length;
      const count = countViews(lights, light, settings);
      const sets = countSets(lights, light, this.#shadedCount);
      this.#casters.push({ light, first, count, sets });
      lights.shadowViews[light] = (count << 16) | first;
      for (let index = first; index < first + count * sets; index++) {
        const { square } = this.#viewAt(index);
        square.size = Math.min(settings.mapSize, this.#largestSize);
        squares.push(square);
      }
    }
    this.#viewCount = squares.length;
    for (const view of this.#views) view.isStale = true;
    const { width, height } = layOutAtlas(squares, this.#largestSize);
    this.#atlas.make(width, height);
  }

  #viewAt(index: number): ShadowView {
    let view = this.#views[index];
    if (view === undefined) {
      view = new ShadowView(this.#createPass(this.#pipelines, 'shadow casters'));
      this.#views[index] = view;
    }
    return view;
  }
}
