import type { StreamReader } from '../../core/streams/stream.js';
import type { FrameGraph } from '../../graph/frame-graph.js';
import type { GraphTexture, GraphTextureDescriptor } from '../../graph/graph-pass.js';
import {
  type BindGroupHandle,
  type BufferHandle,
  BufferUsage,
  type TextureHandle,
  TextureUsage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuView } from '../buffers/gpu-layouts.js';
import { writeMatrix } from '../culling/frustum-planes.js';
import type { CreateMeshPass, MeshPass } from '../draws/mesh-pass.js';
import type { Scene } from '../scene/scene.js';
import { type CasterPipelines, SHADOW_FORMAT } from '../shadows/caster-pipelines.js';
import { castersReach, haveCastersChanged } from '../shadows/visible-casters.js';
import { type CatcherPipelines, SHADE_FORMAT } from './catcher-pipelines.js';
import { CatcherPlane } from './catcher-plane.js';
import { type CatcherSize, catcherSize } from './catcher-size.js';
import { GpuShadowCatcher } from './gpu-shadow-catcher.js';

const at = GpuShadowCatcher.at;

/** Number of values of a catcher's place: the values that decide the contents of its textures. */
const PLACE_NUMBERS = 13;

/** A texture whose contents are kept between frames. */
interface KeptTexture {
  descriptor: GraphTextureDescriptor;
  handle: TextureHandle;
  /** Newest version in this frame's graph. */
  version: GraphTexture;
}

/** Textures and bind groups of a catcher. They are created in the first frame in which the catcher is placed. */
interface CatcherResources {
  /** Depth of the things above the ground, from below. */
  readonly depth: KeptTexture;
  /** Shadow, blurred along X. */
  readonly half: KeptTexture;
  /** Shadow, blurred along both axes. */
  readonly shade: KeptTexture;
  readonly blurX: BindGroupHandle;
  readonly blurZ: BindGroupHandle;
  /** Bind group 1 of the drawing. */
  readonly drawing: BindGroupHandle;
}

/**
 * One shadow catcher. The things above the ground are drawn from below, and the result is blurred. The textures are
 * drawn again only if the ground, its softness or one of these things has changed, or if the caller demands it.
 *
 *   node, size ─► CatcherPlane ─► cull ─► isRedrawn? ─► depth ─► half ─► shade ─► drawn in each view
 */
export class ShadowCatcher {
  /** One bit per layer of the ground; 0: no view shows it. */
  layers = 0;
  /** Whether a view may show the ground: it has a layer, its node exists, and it has an area. */
  isPlaced = false;
  /** Whether the textures are drawn again in this frame. */
  isRedrawn = false;
  /** Draws the things above the ground, from below. */
  readonly meshes: MeshPass;
  readonly #rhi: ImmediateContext;
  /** Name of the catcher, with which the names of its passes and resources begin. */
  readonly name: string;
  readonly #plane = new CatcherPlane();
  readonly #sortView = { forward: this.#plane.down };
  #node = 0;
  #width = 0;
  #depth = 0;
  #height = 0;
  #softness = 0;
  #opacity = 0;
  /** Place in this frame, see `PLACE_NUMBERS`. */
  readonly #place = new Float64Array(PLACE_NUMBERS);
  /** Place in the frame that drew the textures. NaN makes the next placed frame draw them. */
  readonly #drawnPlace = new Float64Array(PLACE_NUMBERS).fill(Number.NaN);
  readonly #settings = new Float32Array(GpuShadowCatcher.words);
  readonly #sentSettings = new Float32Array(GpuShadowCatcher.words).fill(Number.NaN);
  readonly #view = new Float32Array(GpuView.words);
  readonly #viewWords = new Uint32Array(this.#view.buffer);
  #settingsBuffer: BufferHandle | undefined;
  #viewBuffer: BufferHandle | undefined;
  #resources: CatcherResources | undefined;
  #size: CatcherSize | undefined;
  /** Bind group 0 of the things. */
  #casters: BindGroupHandle | undefined;
  #castersVersion = -1;

  constructor(rhi: ImmediateContext, createPass: CreateMeshPass, casters: CasterPipelines, name: string) {
    this.#rhi = rhi;
    this.name = name;
    this.meshes = createPass(casters, name);
  }

  /** Textures and bind groups of the catcher. Valid while the catcher is placed. */
  get resources(): CatcherResources {
    return this.#resources as CatcherResources;
  }

  /** Reads the settings of a `setShadowCatcher`, the reader's current record. */
  set({ words, floats, fields }: StreamReader): void {
    this.#node = words[fields + 1] as number;
    this.#width = floats[fields + 2] as number;
    this.#depth = floats[fields + 3] as number;
    this.#height = floats[fields + 4] as number;
    this.#softness = floats[fields + 5] as number;
    this.#opacity = floats[fields + 6] as number;
    this.layers = words[fields + 7] as number;
  }

  /**
   * Per frame, outside passes, after the scene's update: places the ground, decides whether its textures are drawn
   * again, and uploads changed settings.
   * @param isSceneSame whether no primitive was changed, created or destroyed since the last frame
   * @param mustDraw whether the textures are drawn again even if nothing has changed
   */
  prepare(scene: Scene, pipelines: CatcherPipelines, isSceneSame: boolean, mustDraw: boolean): void {
    const { nodes, renderOrigin, primitives } = scene;
    const plane = this.#plane;
    const [node, width, depth] = [this.#node, this.#width, this.#depth];
    this.isPlaced =
      this.layers !== 0 &&
      nodes.has(node) &&
      plane.place(nodes.world, node * 12, renderOrigin, width, depth, this.#height);
    this.isRedrawn = false;
    if (!this.isPlaced) {
      // Changes of the things are not detected while the ground is not placed. So the next placed frame draws again.
      this.#drawnPlace.fill(Number.NaN);
      return;
    }
    const hasMoved = this.#updatePlace();
    if (hasMoved || !this.#resources) this.#resize(pipelines);
    if (hasMoved || mustDraw || !isSceneSame) {
      const isSameSet = this.meshes.cull(plane.planes, primitives.casterBits);
      const { visibleBits } = this.meshes;
      this.isRedrawn = hasMoved || mustDraw || !isSameSet || haveCastersChanged(visibleBits, primitives);
    }
    if (this.isRedrawn) {
      const lowest = -castersReach(this.meshes.visibleBits, primitives, plane.down, -Infinity);
      this.#settings[at.depthScale] = plane.fitDepth(lowest);
      this.#drawnPlace.set(this.#place);
      this.meshes.prepare(this.#sortView);
    }
    this.#upload();
  }

  /**
   * Updates the bind group of the things, and uploads the view from below. Called outside passes, in frames that draw
   * the textures again, after the scene has been uploaded.
   * @param origin the render origin
   */
  bind(casters: CasterPipelines, origin: Float64Array, timeSeconds: number): void {
    const { instances } = this.meshes;
    const version = casters.resourcesVersion + instances.version;
    if (version !== this.#castersVersion) {
      this.#castersVersion = version;
      this.#rhi.destroy(this.#casters);
      this.#viewBuffer ??= this.#createBuffer('view', GpuView.byteLength);
      this.#casters = casters.createGroup({ buffer: this.#viewBuffer }, instances.handle);
    }
    this.meshes.bind(this.#casters as BindGroupHandle);
    const view = this.#view;
    const { center, up, clipFromWorld } = this.#plane;
    writeMatrix(clipFromWorld, view, GpuView.at.clipFromWorld);
    view.set(center, GpuView.at.cameraPosition);
    view.set(up, GpuView.at.cameraForward);
    view.set(origin, GpuView.at.renderOrigin);
    this.#viewWords[GpuView.at.isOrthographic] = 1;
    view[GpuView.at.timeSeconds] = timeSeconds;
    this.#rhi.writeBuffer(this.#viewBuffer as BufferHandle, 0, view);
  }

  /** Per frame in which the catcher is placed, after `prepare`: imports the textures. */
  addTo(graph: FrameGraph): void {
    const { depth, half, shade } = this.resources;
    depth.version = graph.importTexture(depth.descriptor, depth.handle);
    half.version = graph.importTexture(half.descriptor, half.handle);
    shade.version = graph.importTexture(shade.descriptor, shade.handle);
  }

  dispose(): void {
    const rhi = this.#rhi;
    this.meshes.dispose();
    this.#disposeTextures();
    for (const resource of [this.#casters, this.#settingsBuffer, this.#viewBuffer]) rhi.destroy(resource);
    this.#casters = this.#settingsBuffer = this.#viewBuffer = undefined;
  }

  #createBuffer(part: string, byteLength: number): BufferHandle {
    const usage = BufferUsage.uniform | BufferUsage.copyTarget;
    return this.#rhi.createBuffer({ label: `${this.name}, ${part}`, byteLength, usage });
  }

  /** Writes the place in this frame. @returns whether it differs from the place in the frame that drew the textures */
  #updatePlace(): boolean {
    const { center, right, forward, halfX, halfZ } = this.#plane;
    const place = this.#place;
    place.set(center, 0);
    place.set(right, 3);
    place.set(forward, 6);
    place[9] = halfX;
    place[10] = halfZ;
    place[11] = this.#height;
    place[12] = this.#softness;
    const drawn = this.#drawnPlace;
    for (let index = 0; index < PLACE_NUMBERS; index++) if (place[index] !== drawn[index]) return true;
    return false;
  }

  /** Computes the size of the textures. Creates the textures if they are missing or have another size. */
  #resize(pipelines: CatcherPipelines): void {
    const { halfX, halfZ } = this.#plane;
    const size = catcherSize(halfX * 2, halfZ * 2, this.#softness);
    const { width, height } = size;
    const isSame = this.#size?.width === width && this.#size.height === height;
    this.#size = size;
    if (isSame && this.#resources) return;
    this.#disposeTextures();
    const rhi = this.#rhi;
    const usage = TextureUsage.renderAttachment | TextureUsage.textureBinding;
    const create = (part: string, format: GPUTextureFormat): KeptTexture => {
      const name = `${this.name}, ${part}`;
      const handle = rhi.createTexture({ label: name, width, height, format, usage });
      return { descriptor: { name, width, height, format }, handle, version: 0 as GraphTexture };
    };
    const depth = create('depth', SHADOW_FORMAT);
    const half = create('half blurred', SHADE_FORMAT);
    const shade = create('shadow', SHADE_FORMAT);
    this.#settingsBuffer ??= this.#createBuffer('settings', GpuShadowCatcher.byteLength);
    const settings = this.#settingsBuffer;
    this.#resources = {
      depth,
      half,
      shade,
      blurX: pipelines.createBlurGroup('depth', settings, depth.handle),
      blurZ: pipelines.createBlurGroup('float', settings, half.handle),
      drawing: pipelines.createDrawingGroup(settings, shade.handle),
    };
  }

  /** Uploads the settings if one of them has changed. */
  #upload(): void {
    const settings = this.#settings;
    const { center, right, forward, halfX, halfZ } = this.#plane;
    const { reachX, reachZ, inverseVarianceX, inverseVarianceZ } = this.#size as CatcherSize;
    for (let axis = 0; axis < 3; axis++) {
      settings[at.center + axis] = center[axis] as number;
      settings[at.alongX + axis] = (right[axis] as number) * halfX;
      settings[at.alongZ + axis] = (forward[axis] as number) * halfZ;
    }
    settings[at.opacity] = this.#opacity;
    settings[at.reach] = reachX;
    settings[at.reach + 1] = reachZ;
    settings[at.inverseVariance] = inverseVarianceX;
    settings[at.inverseVariance + 1] = inverseVarianceZ;
    // A band that is wider than half of a side would dim the middle of the ground.
    const band = Math.max(Math.min(this.#softness, halfX, halfZ), 1e-6 * Math.max(halfX, halfZ));
    settings[at.edges] = halfX / band;
    settings[at.edges + 1] = halfZ / band;
    const sent = this.#sentSettings;
    let isSame = true;
    for (let index = 0; index < settings.length; index++) isSame &&= settings[index] === sent[index];
    if (isSame) return;
    sent.set(settings);
    this.#rhi.writeBuffer(this.#settingsBuffer as BufferHandle, 0, settings);
  }

  #disposeTextures(): void {
    const resources = this.#resources;
    if (!resources) return;
    const { depth, half, shade, blurX, blurZ, drawing } = resources;
    for (const group of [blurX, blurZ, drawing]) this.#rhi.destroy(group);
    for (const { handle } of [depth, half, shade]) this.#rhi.destroy(handle);
    this.#resources = undefined;
  }
}
