import type {
  BindGroupHandle,
  BufferHandle,
  GraphicsPipelineHandle,
} from '../../rhi/commands/descriptors.js';
import type { DrawRecorder } from '../../rhi/record/draw-bundle.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { uploadWords } from '../buffers/buffer-upload.js';
import { grow } from '../buffers/grow.js';
import { GrowingBuffer } from '../buffers/growing-buffer.js';
import { CullInputs } from '../culling/cull-inputs.js';
import { cullWords } from '../culling/culling.js';
import type { GeometryStore } from '../geometry/geometry-store.js';
import { DEFAULT_ATTRIBUTES } from '../geometry/vertex-layouts.js';
import type { DrawStates } from '../keys/draw-states.js';
import type { Scene } from '../scene/scene.js';
import { DrawList } from './draw-list.js';
import { DrawStateOrder, type DrawStatePolicy } from './draw-state-order.js';
import { SteadyDraws } from './steady-draws.js';

/** What passes read, and none of them changes. */
export interface MeshStores {
  readonly scene: Scene;
  readonly geometries: GeometryStore;
  readonly drawStates: DrawStates;
  /** Where there are thousands of primitives, and helpers. */
  recorder?: PassRecorder | null;
}

/** Records the draws of a pass with several threads, in the part `crowds`. */
export interface PassRecorder {
  /**
   * @param order the pass's
   * @param part of those that the policy tells apart
   * @param frameGroup bind group 0
   * @param attributes those that vertices lack
   * @returns false where it has recorded nothing: they are to be recorded here
   */
  record(
    rhi: ImmediateContext,
    stores: MeshStores,
    list: DrawList,
    order: DrawStateOrder,
    policy: PassPolicy,
    part: number,
    frameGroup: BindGroupHandle,
    attributes: BufferHandle,
  ): boolean;
}

/**
 * Makes a pass of the scene. Parts that are files of their own (`threads/parts/`) are handed this, so that they needn't hold
 * the code of passes once more.
 */
export type CreateMeshPass = (policy: PassPolicy, label: string) => MeshPass;

/** Draws of a pass that have a render pass of their own. */
interface PassPart {
  readonly steadyDraws: SteadyDraws;
  readonly record: (draws: DrawRecorder) => void;
}

/** What makes a pass draw as it does. */
export interface PassPolicy extends DrawStatePolicy {
  /** Rises when pipelines are others than before, for the same keys. */
  readonly version: number;
  /** Created when first asked for, which must be outside passes. */
  pipeline(passKey: number): GraphicsPipelineHandle;
  /** In how many parts the pass is recorded, each in a render pass of its own; default: 1. */
  readonly parts?: number;
  /** The part that draws with this key. */
  partOf?(passKey: number): number;
}

/**
 * The meshes of one view, drawn one way (SYSTEMS R11, R14): the scene itself, or the depth that a shadow map holds.
 *
 *   cull      planes ─► visible bits                   per (view, pass), over arrays that nothing else writes
 *   prepare   sort ─► runs ─► instances, pipelines
 *   record    state changes and one instanced draw per run, or the bundle of them
 *
 * When neither the visible set nor a draw state changed, the sorted instances of the last frame are drawn again, and nothing
 * is sorted or uploaded for them: moving objects only move in the GPU scene. Draws that stay the same for some frames become
 * a draw bundle (`steady-draws.ts`).
 */
export class MeshPass {
  /** Primitives that passed culling. */
  visible = 0;
  /** One bit per primitive that passed. */
  visibleBits = new Uint32Array(0);
  readonly instances: GrowingBuffer;
  readonly #cullInputs = new CullInputs();
  /** Primitives that passed the last culling. */
  #passed = 0;
  readonly #order: DrawStateOrder;
  readonly #drawList = new DrawList();
  /** By part. */
  readonly #parts: PassPart[] = [];
  #visibleBefore = new Uint32Array(0);
  #sceneVersion = -1;
  /** The last `cull` found what the one before it did. */
  isSameSet = false;
  /** What is drawn of what passed, and what the draw list was made of. */
  #drawnBits: Uint32Array = this.visibleBits;
  #sortedBits = new Uint32Array(0);
  /** The draw list and the instances on the GPU are those of `#sortedBits`. */
  #isSorted = false;
  #areDrawsSame = false;
  #pipelinesVersion = -1;
  // What the draws of the last frame named, beside the list itself.
  #frameGroup: BindGroupHandle | undefined;
  #textureSetsVersion = -1;
  #attributes: BufferHandle | undefined;

  readonly #rhi: ImmediateContext;
  readonly #stores: MeshStores;
  readonly #policy: PassPolicy;

  constructor(rhi: ImmediateContext, stores: MeshStores, policy: PassPolicy, label: string) {
    this.#rhi = rhi;
    this.#stores = stores;
    this.#policy = policy;
    this.instances = new GrowingBuffer(label);
    this.#order = new DrawStateOrder(policy);
  }

  /**
   * Per frame: finds the primitives that the view sees, and has the GPU know where they are.
   * @param planes see `View.planes`
   * @param candidates one bit per primitive: those that the pass draws
   * @returns true when they are those of the last call
   */
  cull(planes: Float64Array, candidates: Uint32Array): boolean {
    const { scene, drawStates, geometries } = this.#stores;
    const isSame =
      this.#cullInputs.update(planes, candidates, this.#bitWords, scene.primitives.changes) ||
      this.#cullAnew(planes, candidates);
    this.visible = this.#passed;
    const isOrderNew = this.#order.update(drawStates, geometries, scene.materials.states);
    this.#isSorted &&= !isOrderNew && scene.version === this.#sceneVersion;
    this.#sceneVersion = scene.version;
    this.#drawnBits = this.visibleBits;
    this.isSameSet = isSame;
    return isSame;
  }

  /** @returns whether the same primitives pass as before */
  #cullAnew(planes: Float64Array, candidates: Uint32Array): boolean {
    const { scene } = this.#stores;
    const words = this.#bitWords;
    const visibleBefore = grow(this.visibleBits, words);
    const visibleBits = grow(this.#visibleBefore, words);
    this.visibleBits = visibleBits;
    this.#visibleBefore = visibleBefore;
    const { bounds, culler } = scene.primitives;
    this.#passed =
      culler?.cull(planes, candidates, visibleBits, words) ??
      cullWords(planes, bounds, candidates, visibleBits, 0, words);
    let isSame = true;
    for (let word = 0; word < words; word++) {
      const seen = visibleBits[word] as number;
      isSame &&= seen === visibleBefore[word];
      if (seen !== 0) scene.writeSeen(word, seen);
    }
    return isSame;
  }

  /**
   * Per frame, behind `cull`, where some of what it found can't be seen.
   * @param drawnBits what is left, `visible` primitives
   */
  narrow(drawnBits: Uint32Array, visible: number): void {
    this.#drawnBits = drawnBits;
    this.visible = visible;
  }

  /**
   * Per frame, outside passes: puts what `cull` found in order, and makes every pipeline that something may be drawn with.
   * @param forward unit length: the way the view looks
   */
  prepare(forward: Float64Array): void {
    const rhi = this.#rhi;
    const { primitives } = this.#stores.scene;
    const drawList = this.#drawList;
    const order = this.#order;
    const isSameSet = this.#isWhatIsSorted();
    const arePipelinesSame = this.#createPipelines();
    if (!isSameSet) drawList.sortOpaque(this.#drawnBits, this.#bitWords, primitives, order);
    const isOrderNew = drawList.sortBlended(primitives, order, forward);
    const { opaqueCount, blendedCount } = drawList;
    const count = opaqueCount + blendedCount;
    const isBufferNew = this.instances.reserve(rhi, Math.max(1, count) * 4);
    if (isBufferNew || !isSameSet) {
      uploadWords(rhi, this.instances.handle, 0, drawList.instances, 0, count);
    } else if (isOrderNew) {
      uploadWords(rhi, this.instances.handle, opaqueCount * 4, drawList.instances, opaqueCount, count);
    }
    this.#isSorted = true;
    this.#areDrawsSame = isSameSet && !isOrderNew && arePipelinesSame;
  }

  /** Per frame, outside passes, behind `prepare`. @param frameGroup bind group 0 */
  bind(frameGroup: BindGroupHandle): void {
    const version = this.#stores.scene.materials.textures?.sets.version ?? 0;
    const isSame =
      this.#areDrawsSame && frameGroup === this.#frameGroup && version === this.#textureSetsVersion;
    this.#frameGroup = frameGroup;
    this.#textureSetsVersion = version;
    this.#attributes = this.#stores.geometries.defaultAttributes;
    const { parts = 1 } = this.#policy;
    for (let part = 0; part < parts; part++) {
      const { steadyDraws, record } = this.#part(part);
      steadyDraws.prepare(isSame, this.#countRuns(part), record);
    }
    // Of a policy that had more.
    for (let part = parts; part < this.#parts.length; part++) this.#part(part).steadyDraws.dispose();
  }

  /** Of the last `prepare`. */
  get drawCalls(): number {
    return this.#drawList.runs;
  }

  get instanceCount(): number {
    return this.#drawList.opaqueCount + this.#drawList.blendedCount;
  }

  /** In a render pass. @param part of those that the policy tells apart */
  record(part = 0): void {
    if (this.#part(part).steadyDraws.execute()) return;
    const rhi = this.#rhi;
    const stores = this.#stores;
    const isDone = stores.recorder?.record(
      rhi,
      stores,
      this.#drawList,
      this.#order,
      this.#policy,
      part,
      this.#frameGroup as BindGroupHandle,
      this.#attributes as BufferHandle,
    );
    if (!isDone) this.#record(rhi, part);
  }

  dispose(): void {
    for (const { steadyDraws } of this.#parts) steadyDraws.dispose();
    this.instances.dispose(this.#rhi);
  }

  /** Whether the draw list is that of what is drawn; the next one will be. */
  #isWhatIsSorted(): boolean {
    const words = this.#bitWords;
    this.#sortedBits = grow(this.#sortedBits, words);
    let isSame = this.#isSorted;
    for (let word = 0; word < words; word++) {
      const drawn = this.#drawnBits[word] as number;
      if (this.#sortedBits[word] === drawn) continue;
      this.#sortedBits[word] = drawn;
      isSame = false;
    }
    return isSame;
  }

  /** How many words of bits there are. */
  get #bitWords(): number {
    return (this.#stores.scene.primitives.length + 31) >>> 5;
  }

  #part(part: number): PassPart {
    this.#parts[part] ??= {
      steadyDraws: new SteadyDraws(this.#rhi),
      record: (draws) => this.#record(draws, part),
    };
    return this.#parts[part];
  }

  #isInPart(run: number, part: number): boolean {
    const policy = this.#policy;
    const key = this.#order.key[this.#drawList.runRank[run] as number] as number;
    return (policy.partOf?.(key) ?? 0) === part;
  }

  #countRuns(part: number): number {
    const { runs } = this.#drawList;
    if ((this.#policy.parts ?? 1) === 1) return runs;
    let count = 0;
    for (let run = 0; run < runs; run++) if (this.#isInPart(run, part)) count++;
    return count;
  }

  /** Per run, state is set only where it differs from the run before. */
  #record(rhi: DrawRecorder, part: number): void {
    const drawList = this.#drawList;
    const { geometries, scene } = this.#stores;
    const policy = this.#policy;
    const order = this.#order;
    const sets = scene.materials.textures?.sets;
    if (drawList.runs > 0) {
      rhi.setBindGroup(0, this.#frameGroup as BindGroupHandle);
      rhi.setVertexBuffer(1, this.#attributes as BufferHandle, 0, DEFAULT_ATTRIBUTES.byteLength);
    }
    const isSplit = (policy.parts ?? 1) > 1;
    let boundKey = -1;
    let boundSet = -1;
    let boundPage = -1;
    for (let run = 0; run < drawList.runs; run++) {
      if (isSplit && !this.#isInPart(run, part)) continue;
      const rank = drawList.runRank[run] as number;
      const first = drawList.runFirst[run] as number;
      const count = drawList.runCount[run] as number;
      const geometry = order.geometry[rank] as number;
      const key = order.key[rank] as number;
      const set = order.textureSet[rank] as number;
      const page = geometries.page[geometry] as number;
      if (key !== boundKey) rhi.setGraphicsPipeline(policy.pipeline(key));
      if (set !== boundSet && sets !== undefined && set > 0) rhi.setBindGroup(1, sets.bindGroup(set));
      if (page !== boundPage) {
        const buffer = geometries.pageBuffer(page);
        const byteLength = geometries.pageByteLength(page);
        rhi.setVertexBuffer(0, buffer, 0, byteLength);
        rhi.setIndexBuffer(buffer, 'uint32', 0, byteLength);
      }
      boundKey = key;
      boundSet = set;
      boundPage = page;
      const baseVertex = geometries.baseVertex[geometry] as number;
      const indexCount = geometries.indexCount[geometry] as number;
      if (indexCount > 0) {
        rhi.drawIndexed(indexCount, count, geometries.firstIndex[geometry] as number, baseVertex, first);
      } else rhi.draw(geometries.vertexCount[geometry] as number, count, baseVertex, first);
    }
  }

  /** Pipelines are created as soon as something may be drawn with them. @returns false when some were */
  #createPipelines(): boolean {
    const { key, count } = this.#order;
    const version = this.#policy.version + this.#order.version;
    if (version === this.#pipelinesVersion) return true;
    this.#pipelinesVersion = version;
    for (let rank = 0; rank < count; rank++) this.#policy.pipeline(key[rank] as number);
    return false;
  }
}
