import type { FrameMemory } from '../../core/memory/frame-memory.js';
import { grow } from '../../core/memory/grow.js';
import type { BindGroupHandle, GraphicsPipelineHandle } from '../../rhi/commands/descriptors.js';
import { writeWordsUnordered } from '../../rhi/mapping/unordered-write.js';
import type { DrawRecorder } from '../../rhi/record/draw-bundle.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GrowingBuffer } from '../buffers/growing-buffer.js';
import { CullInputs } from '../culling/cull-inputs.js';
import { cullWords } from '../culling/culling.js';
import type { GeometryStore } from '../geometry/geometry-store.js';
import type { DrawStates } from '../keys/draw-states.js';
import type { Scene } from '../scene/scene.js';
import { DrawList } from './draw-list.js';
import { DrawRanks } from './draw-ranks.js';
import { DrawStateOrder, type DrawStatePolicy } from './draw-state-order.js';
import { type PassBindings, RUN_WORDS, type RunCommands, RunWord, recordRuns } from './record-runs.js';
import { SteadyDraws } from './steady-draws.js';

/** Stores that passes read and never change. */
export interface MeshStores {
  readonly scene: Scene;
  readonly geometries: GeometryStore;
  readonly drawStates: DrawStates;
  readonly frameMemory: FrameMemory;
  /** Records on helper threads, in worlds with thousands of primitives; otherwise missing or `null`. */
  recorder?: PassRecorder | null;
}

/** Records the draws of a pass on several threads. */
export interface PassRecorder {
  /**
   * Records the draws of a section (see `PassSection`).
   * @param runs words of the section's runs, see `RunWord`
   * @param runCount number of runs
   * @returns false if it has recorded nothing; the caller must then record the draws
   */
  record(
    rhi: ImmediateContext,
    ranks: DrawRanks,
    runs: Uint32Array,
    runCount: number,
    bindings: PassBindings,
  ): boolean;
}

/** Creates a pass of the scene. */
export type CreateMeshPass = (policy: PassPolicy, label: string) => MeshPass;

/** A section of a pass: draws that have a render pass of their own. */
interface PassSection {
  readonly steadyDraws: SteadyDraws;
  readonly record: (draws: DrawRecorder) => void;
  /** Runs of the section, if the pass has several sections. */
  runs: Uint32Array;
  runCount: number;
}

/** Policy that decides how a pass draws. */
export interface PassPolicy extends DrawStatePolicy {
  /** Increases when keys get other pipelines. */
  readonly version: number;
  /** Returns the pipeline of a key. It is created at the first call, which must be outside passes. */
  pipeline(passKey: number): GraphicsPipelineHandle;
  /** Number of sections of the pass, each recorded in a render pass of its own; default: 1. */
  readonly sections?: number;
  /** Returns the section that draws this key. */
  sectionOf?(passKey: number): number;
}

/**
 * Draws the meshes of one view in one way (SYSTEMS R11, R14): the scene itself, or the depth of a shadow map.
 *
 *   cull      planes ─► visible bits                   per (view, pass), over arrays that nothing else writes
 *   prepare   sort ─► runs ─► instances, pipelines
 *   record    state changes and one instanced draw per run, or their draw bundle
 *
 * If neither the visible set nor a draw state has changed, the sorted instances of the last frame are drawn
 * again. Nothing is sorted or uploaded for them: moving objects only move in the GPU scene. Draws that stay
 * the same for some frames become a draw bundle (`steady-draws.ts`).
 */
export class MeshPass {
  /** Number of primitives to draw: primitives that passed culling, minus primitives that `narrow` removed. */
  visible = 0;
  /** One bit per primitive that passed culling. */
  visibleBits = new Uint32Array(0);
  readonly instances: GrowingBuffer;
  readonly #cullInputs = new CullInputs();
  /** Number of primitives that passed the last culling. */
  #passed = 0;
  readonly #order: DrawStateOrder;
  readonly #drawList: DrawList;
  readonly #sections: PassSection[] = [];
  readonly #ranks = new DrawRanks();
  readonly #bindings = { frameGroup: 0, attributes: 0 };
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
  /** Whether every frame since the last `bind` has the same draws. A pass that is left out skips `bind`. */
  #areDrawsSame = false;
  #pipelinesVersion = -1;
  // State that the draws of the last frame used, besides the draw list.
  #frameGroup: BindGroupHandle | undefined;
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
  }

  /**
   * Per frame: finds the primitives that the view sees, and writes their changed transforms to the GPU scene.
   * @param planes see `View.planes`
   * @param candidates one bit per primitive that the pass may draw
   * @returns true if the visible primitives are those of the last call
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
   * Reduces the primitives to draw. Called per frame, after `cull`, if occluders hide primitives that passed
   * it.
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
   * @param forward direction of view, unit length
   */
  prepare(forward: Float64Array): void {
    const rhi = this.#rhi;
    const { primitives } = this.#stores.scene;
    const drawList = this.#drawList;
    const order = this.#order;
    const isSameSet = this.#updateSortedBits();
    const arePipelinesSame = this.#createPipelines();
    if (!isSameSet) drawList.sortOpaque(this.#drawnBits, this.#bitWords, primitives, order);
    const isOrderNew = drawList.sortBlended(primitives, order, forward);
    const { opaqueCount, blendedCount } = drawList;
    const count = opaqueCount + blendedCount;
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
    this.#areDrawsSame &&= isSameSet && !isOrderNew && arePipelinesSame;
  }

  /**
   * Per frame that records the draws, outside passes, after `prepare`: updates ranks, sections and bundles.
   * @param frameGroup bind group 0
   */
  bind(frameGroup: BindGroupHandle): void {
    const version = this.#stores.scene.materials.textures?.sets.version ?? 0;
    const isSame =
      this.#areDrawsSame && frameGroup === this.#frameGroup && version === this.#textureSetsVersion;
    this.#areDrawsSame = true;
    this.#frameGroup = frameGroup;
    this.#textureSetsVersion = version;
    this.#bindings.frameGroup = frameGroup as number;
    this.#bindings.attributes = this.#stores.geometries.defaultAttributes as number;
    this.#ranks.update(this.#order, this.#policy, this.#stores);
    const { sections = 1 } = this.#policy;
    for (let index = 0; index < sections; index++) {
      const section = this.#section(index);
      this.#selectRuns(section, index, sections);
      section.steadyDraws.prepare(isSame, section.runCount, section.record);
    }
    // Releases the bundles of sections that an earlier policy had.
    for (let index = sections; index < this.#sections.length; index++)
      this.#section(index).steadyDraws.dispose();
  }

  /** Number of draw calls of the last `prepare`. */
  get drawCalls(): number {
    return this.#drawList.runs;
  }

  get instanceCount(): number {
    return this.#drawList.opaqueCount + this.#drawList.blendedCount;
  }

  /** Records the draws in a render pass. @param index the section, as numbered by the policy */
  record(index = 0): void {
    const section = this.#section(index);
    if (section.steadyDraws.execute()) return;
    const rhi = this.#rhi;
    const { runs, runCount } = section;
    const isDone = this.#stores.recorder?.record(rhi, this.#ranks, runs, runCount, this.#bindings);
    if (!isDone) section.record(rhi);
  }

  dispose(): void {
    for (const { steadyDraws } of this.#sections) steadyDraws.dispose();
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

  /** Number of words in a set of bits. */
  get #bitWords(): number {
    return (this.#stores.scene.primitives.length + 31) >>> 5;
  }

  #section(index: number): PassSection {
    this.#sections[index] ??= {
      steadyDraws: new SteadyDraws(this.#rhi),
      record: (draws) => this.#recordSection(draws, this.#section(index)),
      runs: this.#drawList.runWords,
      runCount: 0,
    };
    return this.#sections[index];
  }

  /** Per frame: selects the runs of a section from those of the draw list. */
  #selectRuns(section: PassSection, index: number, sections: number): void {
    const { runWords, runs } = this.#drawList;
    if (sections === 1) {
      section.runs = runWords;
      section.runCount = runs;
      return;
    }
    if (section.runs.length < runWords.length || section.runs === runWords)
      section.runs = new Uint32Array(runWords.length);
    const selected = section.runs;
    const { key } = this.#order;
    let at = 0;
    for (let run = 0; run < runs * RUN_WORDS; run += RUN_WORDS) {
      const rank = runWords[run] as number;
      if ((this.#policy.sectionOf?.(key[rank] as number) ?? 0) !== index) continue;
      selected[at] = rank;
      selected[at + RunWord.firstInstance] = runWords[run + RunWord.firstInstance] as number;
      selected[at + RunWord.instanceCount] = runWords[run + RunWord.instanceCount] as number;
      at += RUN_WORDS;
    }
    section.runCount = at / RUN_WORDS;
  }

  #recordSection(rhi: DrawRecorder, { runs, runCount }: PassSection): void {
    recordRuns(rhi as RunCommands, this.#ranks.words, runs, 0, runCount, this.#bindings);
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
      if (passKey >= 0) this.#policy.pipeline(passKey);
    }
    return false;
  }
}
