import type { FrameMemory } from '../../core/memory/frame-memory.js';
import { grow } from '../../core/memory/grow.js';
import type { BindGroupHandle } from '../../rhi/commands/descriptors.js';
import { writeWordsUnordered } from '../../rhi/mapping/unordered-write.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GrowingBuffer } from '../buffers/growing-buffer.js';
import { CullInputs } from '../culling/cull-inputs.js';
import { cullWords } from '../culling/culling.js';
import type { GeometryStore } from '../geometry/geometry-store.js';
import type { DrawStates } from '../keys/draw-states.js';
import { FACE_BITS, KeyBit } from '../keys/pipeline-key.js';
import type { Scene } from '../scene/scene.js';
import { DrawList } from './draw-list.js';
import { DrawRanks } from './draw-ranks.js';
import { DrawStateOrder } from './draw-state-order.js';
import type { PassPolicy } from './pass-policy.js';
import { type PassRecorder, PassSection } from './pass-section.js';
import type { SortView } from './sort-view.js';

/** Stores that all mesh passes of a world share. */
export interface MeshStores {
  readonly scene: Scene;
  readonly geometries: GeometryStore;
  readonly drawStates: DrawStates;
  readonly frameMemory: FrameMemory;
  /** Records on helper threads, in worlds with thousands of primitives; otherwise missing or `null`. */
  recorder?: PassRecorder | null;
}

/** Creates a pass of the scene. */
export type CreateMeshPass = (policy: PassPolicy, label: string) => MeshPass;

/**
 * Draws the meshes of one view for one purpose (SYSTEMS R11, R14), such as the scene itself or the depth of a shadow
 * map.
 *
 *   cull      planes ─► visible bits                   per (view, pass), over arrays that nothing else writes
 *   prepare   sort ─► runs ─► instances, pipelines
 *   record    state changes and one instanced draw per run, or their draw bundle
 *
 * If neither the visible set nor a draw state has changed, the sorted instances of the last frame are drawn again.
 * Nothing is sorted or uploaded for them, because objects that move change only the GPU scene. Draws that stay the same
 * for some frames become a draw bundle (`steady-draws.ts`).
 */
export class MeshPass {
  /** Number of primitives to draw: primitives that passed culling, minus primitives that `narrow` removed. */
  visible = 0;
  /** One bit per primitive that passed culling. */
  visibleBits = new Uint32Array(0);
  readonly instances: GrowingBuffer;
  /** Whether blended draws have a render pass of their own. Set per frame, before `prepare`. */
  separatesBlended = false;
  #hasSeparatedBlended = false;
  readonly #cullInputs = new CullInputs();
  /** Number of primitives that passed the last culling. */
  #passed = 0;
  readonly #order: DrawStateOrder;
  readonly #drawList: DrawList;
  readonly #sections: PassSection[] = [];
  /** Layers of transmissive draws, farthest first. */
  readonly #layers: PassSection[] = [];
  /** Draws that are added up with weights. */
  readonly #weighted: PassSection;
  /** Draws after the layers and the weighted draws. */
  readonly #front: PassSection;
  readonly #ranks = new DrawRanks();
  /** Section whose runs `bind` selects. */
  #selected = 0;
  readonly #isSelected = (rank: number): boolean =>
    (this.#policy.sectionOf?.(this.#order.key[rank] as number) ?? 0) === this.#selected;
  readonly #isWeighted = (rank: number): boolean =>
    this.#policy.isWeighted?.(this.#order.key[rank] as number) ?? false;
  #visibleBefore = new Uint32Array(0);
  #sceneVersion = -1;
  /** Whether the last `cull` found the same primitives as the call before it. */
  isSameSet = false;
  /** Primitives to draw, after `narrow`. */
  #drawnBits: Uint32Array = this.visibleBits;
  /** Primitives from which the draw list was built. */
  #sortedBits = new Uint32Array(0);
  /** Whether the draw list and the instances on the GPU were built from `#sortedBits`. */
  #isSorted = false;
  /** Whether the draw list separates transmissive draws. */
  #isSeparated = false;
  /** Whether the draw list separates weighted draws. */
  #hasWeights = false;
  /** Whether the draws are the same as at the last `bind`. Frames whose graph omits the pass do not call `bind`. */
  #areDrawsSame = false;
  /** Whether the draws of this frame and their bind groups are those of the last frame. */
  #isBoundSame = false;
  #pipelinesVersion = -1;
  // State that the draws of the last frame used, besides the draw list.
  #frameGroup: BindGroupHandle | undefined;
  #layerGroup: BindGroupHandle | undefined;
  #litGroup: BindGroupHandle | undefined;
  #textureSetsVersion = -1;

  readonly #rhi: ImmediateContext;
  readonly #stores: MeshStores;
  readonly #policy: PassPolicy;

  constructor(rhi: ImmediateContext, stores: MeshStores, policy: PassPolicy, label: string) {
    this.#rhi = rhi;
    this.#stores = stores;
    this.#policy = policy;
    this.instances = new GrowingBuffer(label);
    this.#order = new DrawStateOrder(policy);
    this.#drawList = new DrawList(stores.frameMemory);
    this.#front = new PassSection(rhi, this.#ranks);
    this.#weighted = new PassSection(rhi, this.#ranks);
  }

  /**
   * Per frame: finds the primitives that the view sees, and writes their changed transforms to the GPU scene.
   * @param planes see `View.planes`
   * @param candidates one bit per primitive that the pass may draw
   * @returns whether the same primitives are visible as in the last call
   */
  cull(planes: Float64Array, candidates: Uint32Array): boolean {
    const { scene, drawStates, geometries } = this.#stores;
    const isSame =
      this.#cullInputs.update(planes, candidates, this.#bitWords, scene.primitives.changes) ||
      this.#cullAgain(planes, candidates);
    this.visible = this.#passed;
    const isOrderNew = this.#order.update(drawStates, geometries, scene.materials.states);
    this.#isSorted &&= !isOrderNew && scene.version === this.#sceneVersion;
    this.#sceneVersion = scene.version;
    this.#drawnBits = this.visibleBits;
    this.isSameSet = isSame;
    return isSame;
  }

  /** Culls all candidates. @returns whether the same primitives pass as before */
  #cullAgain(planes: Float64Array, candidates: Uint32Array): boolean {
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
   * Reduces the primitives to draw. Called per frame, after `cull`, if the pass leaves out primitives that passed
   * culling, for example because occluders hide them.
   * @param drawnBits the remaining primitives
   * @param visible number of remaining primitives
   */
  narrow(drawnBits: Uint32Array, visible: number): void {
    this.#drawnBits = drawnBits;
    this.visible = visible;
  }

  /**
   * Per frame, outside passes: sorts the primitives that `cull` found, and creates every pipeline that a draw
   * may need.
   */
  prepare(view: SortView): void {
    const rhi = this.#rhi;
    const { primitives } = this.#stores.scene;
    const drawList = this.#drawList;
    const order = this.#order;
    const { separatesTransmissive = false, hasWeights = false } = this.#policy;
    this.#isSorted &&= separatesTransmissive === this.#isSeparated && hasWeights === this.#hasWeights;
    this.#isSeparated = separatesTransmissive;
    this.#hasWeights = hasWeights;
    const isSameSet = this.#updateSortedBits();
    const arePipelinesSame = this.#createPipelines();
    if (!isSameSet)
      drawList.sortOpaque(
        this.#drawnBits,
        this.#bitWords,
        primitives,
        order,
        separatesTransmissive,
        hasWeights ? this.#isWeighted : undefined,
      );
    const isOrderNew = drawList.sortByDepth(primitives, order, view);
    const { opaqueCount, count } = drawList;
    const isBufferNew = this.instances.reserve(rhi, Math.max(1, count) * 4);
    if (isBufferNew || !isSameSet) {
      writeWordsUnordered(rhi.writer, this.instances.handle, 0, drawList.instances, 0, count);
    } else if (isOrderNew) {
      writeWordsUnordered(
        rhi.writer,
        this.instances.handle,
        opaqueCount * 4,
        drawList.instances,
        opaqueCount,
        count,
      );
    }
    this.#isSorted = true;
    const isSplitSame = this.separatesBlended === this.#hasSeparatedBlended;
    this.#hasSeparatedBlended = this.separatesBlended;
    this.#areDrawsSame &&= isSameSet && !isOrderNew && arePipelinesSame && isSplitSame;
  }

  /**
   * Updates ranks, sections and bundles. Called outside passes, after `prepare`, in each frame that records the draws.
   * @param frameGroup bind group 0
   * @param isLitApart whether a call of `bindLit` follows and sets bind group 0 of the last section and the later draws
   */
  bind(frameGroup: BindGroupHandle, isLitApart = false): void {
    const { scene, geometries } = this.#stores;
    const version = (scene.materials.textures?.sets.version ?? 0) + (geometries.edges?.version ?? 0);
    const isSame =
      this.#areDrawsSame && frameGroup === this.#frameGroup && version === this.#textureSetsVersion;
    this.#areDrawsSame = true;
    this.#frameGroup = frameGroup;
    this.#textureSetsVersion = version;
    this.#isBoundSame = isSame;
    this.#ranks.update(this.#order, this.#policy, this.#stores);
    const { sections = 1 } = this.#policy;
    const { runWords, runs, opaqueRuns, layerCount, weightedEnd } = this.#drawList;
    const attributes = this.#stores.geometries.defaultAttributes;
    const end = this.#isSplit ? opaqueRuns : runs;
    for (let index = 0; index < sections; index++) {
      const section = this.#section(this.#sections, index);
      this.#selected = index;
      // Only draws of the last section come after the layers and the weighted draws.
      const last = index === sections - 1 ? end : runs;
      if (sections === 1) section.take(runWords, last);
      else section.copy(runWords, 0, last, this.#isSelected);
      if (index < sections - 1) section.prepare(isSame, frameGroup, attributes);
    }
    this.#weighted.copy(runWords, this.#layersEnd, weightedEnd);
    const front = this.#isSplit ? weightedEnd : runs;
    this.#front.copy(runWords, front, runs, sections === 1 ? undefined : this.#isSelected);
    if (!isLitApart) this.#prepareLit(frameGroup);
    // Releases the bundles of sections that an earlier policy or frame had.
    disposeFrom(sections, this.#sections);
    disposeFrom(layerCount, this.#layers);
  }

  /**
   * Per frame, outside passes, after `bind`: sets the bind group of the last section, of weighted draws and of the
   * draws after the layers. Draws of earlier sections are lit later.
   * @param group bind group 0, with the texture of ambient occlusion
   */
  bindLit(group: BindGroupHandle): void {
    this.#isBoundSame &&= group === this.#litGroup;
    this.#litGroup = group;
    this.#prepareLit(group);
  }

  #prepareLit(group: BindGroupHandle): void {
    const { sections = 1 } = this.#policy;
    const { defaultAttributes } = this.#stores.geometries;
    this.#section(this.#sections, sections - 1).prepare(this.#isBoundSame, group, defaultAttributes);
    this.#weighted.prepare(this.#isBoundSame, group, defaultAttributes);
    this.#front.prepare(this.#isBoundSame, group, defaultAttributes);
  }

  /**
   * Per frame that records layers of transmissive draws, outside passes, after `bind`.
   * @param group bind group 0, with the picture of the scene
   */
  bindLayers(group: BindGroupHandle): void {
    this.#isBoundSame &&= group === this.#layerGroup;
    this.#layerGroup = group;
    const { runWords, opaqueRuns, layerCount, layerEnds } = this.#drawList;
    for (let layer = 0; layer < layerCount; layer++) {
      const section = this.#section(this.#layers, layer);
      const first = layer === 0 ? opaqueRuns : (layerEnds[layer - 1] as number);
      section.copy(runWords, first, layerEnds[layer] as number);
      section.prepare(this.#isBoundSame, group, this.#stores.geometries.defaultAttributes);
    }
  }

  /** Whether the last `prepare` has found blended draws that have a render pass of their own. */
  get hasFront(): boolean {
    const { runs, weightedEnd } = this.#drawList;
    return this.#isSplit && runs > weightedEnd;
  }

  /** Whether the last `prepare` has found weighted draws. */
  get hasWeighted(): boolean {
    return this.#drawList.weightedCount > 0;
  }

  /** Whether draws after the opaque ones have render passes of their own. */
  get #isSplit(): boolean {
    const { layerCount, weightedCount } = this.#drawList;
    return this.separatesBlended || layerCount > 0 || weightedCount > 0;
  }

  /** End of the runs of all layers. */
  get #layersEnd(): number {
    const { opaqueRuns, layerCount, layerEnds } = this.#drawList;
    return layerCount > 0 ? (layerEnds[layerCount - 1] as number) : opaqueRuns;
  }

  /** Number of layers of transmissive draws in the last `prepare`. */
  get layerCount(): number {
    return this.#drawList.layerCount;
  }

  /** Number of draw calls of the last `prepare`. */
  get drawCalls(): number {
    return this.#drawList.runs;
  }

  get instanceCount(): number {
    return this.#drawList.count;
  }

  /** Records the draws in a render pass. @param index the section, as numbered by the policy */
  record(index = 0): void {
    this.#section(this.#sections, index).record(this.#stores.recorder);
  }

  /** Records a layer of transmissive draws in a render pass. */
  recordLayer(layer: number): void {
    this.#section(this.#layers, layer).record(this.#stores.recorder);
  }

  /** Records the weighted draws in a render pass. */
  recordWeighted(): void {
    this.#weighted.record(this.#stores.recorder);
  }

  /** Records the draws after the layers and the weighted draws, if there are any. */
  recordFront(): void {
    this.#front.record(this.#stores.recorder);
  }

  dispose(): void {
    disposeFrom(0, this.#sections);
    disposeFrom(0, this.#layers);
    this.#front.dispose();
    this.#weighted.dispose();
    this.instances.dispose(this.#rhi);
  }

  /** Copies `#drawnBits` to `#sortedBits`. @returns whether the draw list was already sorted from them */
  #updateSortedBits(): boolean {
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

  /** Number of words in a set with one bit per primitive. */
  get #bitWords(): number {
    return (this.#stores.scene.primitives.length + 31) >>> 5;
  }

  #section(sections: PassSection[], index: number): PassSection {
    sections[index] ??= new PassSection(this.#rhi, this.#ranks);
    return sections[index];
  }

  /** Creates pipelines as soon as a draw may need them. @returns false if pipelines may have been created */
  #createPipelines(): boolean {
    const { key, count } = this.#order;
    const version = this.#policy.version + this.#order.version;
    if (version === this.#pipelinesVersion) return true;
    this.#pipelinesVersion = version;
    for (let rank = 0; rank < count; rank++) this.#policy.pipeline(key[rank] as number);
    for (const expected of this.#stores.drawStates.expectedKeys) {
      const passKey = this.#policy.passKey(expected);
      if (passKey < 0) continue;
      if ((passKey & FACE_BITS) === FACE_BITS) {
        this.#policy.pipeline(passKey & ~KeyBit.frontFaces);
        this.#policy.pipeline(passKey & ~KeyBit.backFaces);
      } else this.#policy.pipeline(passKey);
    }
    return false;
  }
}

/** Releases the bundles of sections from `first` on. */
function disposeFrom(first: number, sections: readonly PassSection[]): void {
  for (let index = first; index < sections.length; index++) sections[index]?.dispose();
}
