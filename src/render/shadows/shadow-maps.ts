import shadowsCode from '../../../shaders/shadows.wgsl?raw';
import type { StreamReader } from '../../core/stream.js';
import type { FrameGraph } from '../../graph/frame-graph.js';
import type { PassBuilder } from '../../graph/graph-pass.js';
import {
  type BindGroupEntry,
  type BufferHandle,
  BufferUsage,
  ShaderStage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { uploadWords } from '../buffer-upload.js';
import type { FrameExtension, FrameLayout } from '../frame-bindings.js';
import { GpuView } from '../gpu-layouts.js';
import { UNIFORM_SLOT_BYTES } from '../gpu-struct.js';
import { grow } from '../grow.js';
import { GrowingBuffer } from '../growing-buffer.js';
import type { CreateMeshPass, MeshStores } from '../mesh-pass.js';
import { PassFormat } from '../pass-format.js';
import type { DrawnView } from '../scene-renderer.js';
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
import { ShadowPass } from './shadow-pass.js';
import { ShadowView } from './shadow-view.js';
import { VisibleRange } from './visible-range.js';

/** What the pipelines' layout of bind group 0 has behind the bindings of the environment. */
const LAYOUT: readonly GPUBindGroupLayoutEntry[] = [
  { binding: 10, visibility: ShaderStage.fragment, buffer: { type: 'read-only-storage' } },
  { binding: 11, visibility: ShaderStage.fragment, texture: { sampleType: 'depth' } },
  { binding: 12, visibility: ShaderStage.fragment, sampler: { type: 'comparison' } },
];
const SLOT_FLOATS = UNIFORM_SLOT_BYTES / 4;

/**
 * The shadow maps of all lights, in one texture, and what the mesh shader knows of them.
 *
 *   setShadow ─► settings ─┐
 *   lights ────────────────┴─► views ─► squares of the atlas
 *   prepare   aim ─► cull ─► what is stale: draw list, matrices          per view; what holds still stays in its map
 *   addPasses one pass over the atlas
 */
export class ShadowMaps implements FrameExtension {
  readonly shaderCode = `${GpuShadowView.wgsl}${shadowsCode}`;
  readonly layout = LAYOUT;
  readonly #settings = new Map<number, ShadowSettings>();
  readonly #casters: Caster[] = [];
  readonly #views: ShadowView[] = [];
  /** How many of them lights have. */
  #viewCount = 0;
  /** By view of the frame: made when there is one, and filled in with each frame. */
  readonly #shaded: ShadedView[] = [];
  /** How many of them there are. */
  #shadedCount = 0;
  readonly #pipelines: CasterPipelines;
  readonly #packed = new GrowingBuffer('shadow views');
  #packedFloats = new Float32Array(0);
  #packedWords = new Uint32Array(0);
  readonly #slots = new GrowingBuffer('caster views', BufferUsage.uniform | BufferUsage.copyTarget);
  #slotFloats = new Float32Array(0);
  #slotWords = new Uint32Array(0);
  readonly #atlas: ShadowAtlas;
  readonly #pass: ShadowPass;
  #softFormat = 0;
  #isLayoutStale = true;
  /** The maps were drawn while pipelines may have been missing. */
  #isPending = false;
  #shapesVersion = -1;
  /** Scene time of the frame before. */
  #timeSeconds = Number.NaN;
  #sceneVersion = -1;

  readonly #rhi: ImmediateContext;
  readonly #stores: MeshStores;
  readonly #createPass: CreateMeshPass;
  readonly #largestSize: number;

  /** @param frameLayout of bind group 0 of the scene @param largestSize of textures, in texels each way */
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
    this.#atlas = new ShadowAtlas(rhi);
    this.#pass = new ShadowPass(this.#atlas, this.#pipelines);
  }

  /** Bits of `PassFormat`: of all lights that have ever had maps, so that one that blinks does not change pipelines. */
  get passFormat(): number {
    return PassFormat.shadows | this.#softFormat | (this.#settings.size > 1 ? PassFormat.manyShadows : 0);
  }

  /** Rises when a texture or buffer is another one. */
  get version(): number {
    return this.#atlas.version + this.#packed.version;
  }

  /** Whether the next frame draws maps once more, because it is the first that can: it must skip no draw then. */
  get isPending(): boolean {
    return this.#isPending;
  }

  /** Whether the light gets maps while it casts shadows. */
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
   * Per frame, outside passes, before lights are packed: decides what each map shows.
   * @param views that are drawn, culled already
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
        shadowView.meshes.prepare(shadowView.basis.back);
        stale.push(shadowView);
      }
    }
    primitives.clearChanged();
    // Casters that no view sees.
    if (stale.length > 0) scene.gpuScene.upload(this.#rhi);
    this.#makeBuffers();
    if (stale.length > 0) this.#upload();
    this.#isPending = this.#pipelines.areNew;
    this.#pipelines.areNew = false;
  }

  /** Per frame, behind `prepare`. */
  addPasses(graph: FrameGraph): void {
    this.#pass.addTo(graph);
  }

  declareReads(builder: PassBuilder): void {
    this.#pass.declareRead(builder);
  }

  /** For bind group 0. */
  get entries(): readonly BindGroupEntry[] {
    return [
      { binding: 10, buffer: this.#packed.handle },
      { binding: 11, view: { texture: this.#atlas.texture } },
      { binding: 12, sampler: this.#atlas.sampler },
    ];
  }

  dispose(): void {
    const rhi = this.#rhi;
    for (const view of this.#views) view.dispose(rhi);
    this.#views.length = 0;
    this.#pipelines.dispose();
    this.#packed.dispose(rhi);
    this.#slots.dispose(rhi);
    this.#atlas.dispose();
  }

  /** What a camera's view sees of the scene, for the lights that shade it. */
  #shade(index: number, { state }: DrawnView): void {
    const { view, parameters, aspect, meshes } = state;
    this.#shaded[index] ??= { view, parameters, aspect, range: new VisibleRange() };
    const shaded = this.#shaded[index] as ShadedView;
    shaded.view = view;
    shaded.parameters = parameters;
    shaded.aspect = aspect;
    if (this.#casters.length === 0) return;
    const { primitives } = this.#stores.scene;
    shaded.range.measure(meshes.visibleBits, primitives, view.position, view.forward);
  }

  /** Notices lights that began or ceased to cast shadows, or have another number of maps. */
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

  #makeBuffers(): void {
    const count = Math.max(1, this.#viewCount);
    this.#packed.reserve(this.#rhi, count * GpuShadowView.byteLength);
    this.#slots.reserve(this.#rhi, count * UNIFORM_SLOT_BYTES);
  }

  /** What the shaders read of each view, and a bind group for each that is drawn. */
  #upload(): void {
    const rhi = this.#rhi;
    const { gpuScene, materials, renderOrigin } = this.#stores.scene;
    const count = this.#viewCount;
    let extensionsVersion = 0;
    for (const { version } of this.#pipelines.extensions) extensionsVersion += version;
    this.#reserve(count);
    for (let index = 0; index < count; index++) {
      const view = this.#views[index] as ShadowView;
      this.#packedFloats.set(view.packed, index * GpuShadowView.words);
      if (!view.isStale) continue;
      const slot = index * SLOT_FLOATS;
      view.writeView(this.#slotFloats, this.#slotWords, slot, renderOrigin, this.#timeSeconds);
      const version =
        gpuScene.version +
        materials.version +
        view.meshes.instances.version +
        this.#slots.version +
        extensionsVersion +
        this.#pipelines.version;
      if (version !== view.bindGroupVersion) this.#makeBindGroup(view, index, version);
      view.meshes.bind(view.bindGroup as NonNullable<typeof view.bindGroup>);
    }
    uploadWords(rhi, this.#packed.handle, 0, this.#packedWords, 0, count * GpuShadowView.words);
    uploadWords(rhi, this.#slots.handle, 0, this.#slotWords, 0, count * SLOT_FLOATS);
  }

  #reserve(count: number): void {
    if (count * SLOT_FLOATS <= this.#slotFloats.length) return;
    this.#packedFloats = grow(this.#packedFloats, count * GpuShadowView.words);
    this.#slotFloats = grow(this.#slotFloats, count * SLOT_FLOATS);
    this.#packedWords = new Uint32Array(this.#packedFloats.buffer);
    this.#slotWords = new Uint32Array(this.#slotFloats.buffer);
  }

  #makeBindGroup(view: ShadowView, index: number, version: number): void {
    const rhi = this.#rhi;
    const { gpuScene, materials } = this.#stores.scene;
    const buffer = (binding: number, handle: BufferHandle) => ({ binding, buffer: handle });
    rhi.destroy(view.bindGroup);
    view.bindGroupVersion = version;
    view.bindGroup = rhi.createBindGroup({
      label: 'shadow casters',
      layout: this.#pipelines.groupLayout,
      entries: [
        {
          ...buffer(0, this.#slots.handle),
          byteOffset: index * UNIFORM_SLOT_BYTES,
          byteLength: GpuView.byteLength,
        },
        buffer(1, gpuScene.buffer),
        buffer(2, view.meshes.instances.handle),
        buffer(3, materials.buffer),
        ...this.#pipelines.extensions.flatMap(({ entries }) => entries),
      ],
    });
  }
}
