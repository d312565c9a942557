import type { BindGroupHandle, GraphicsPipelineHandle } from '../../rhi/commands/descriptors.js';
import type { DrawRecorder } from '../../rhi/record/draw-bundle.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { uploadWords } from '../buffers/buffer-upload.js';
import { grow } from '../buffers/grow.js';
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

/** Stores that passes read, and never change. */
export interface MeshStores {
  readonly scene: Scene;
  readonly geometries: GeometryStore;
  readonly drawStates: DrawStates;
  /** Where there are thousands of primitives, and helpers. */
  recorder?: PassRecorder | null;
}

/** Records the draws of a pass with several threads. */
export interface PassRecorder {
  /**
   * @param runs of the section that is drawn, `RunWord` @param runCount how many there are
   * @returns false where it has recorded nothing: they are to be recorded here
   */
  record(
    rhi: ImmediateContext,
    ranks: DrawRanks,
    runs: Uint32Array,
    runCount: number,
    bindings: PassBindings,
  ): boolean;
}

/** Makes a pass of the scene. */
export type CreateMeshPass = (policy: PassPolicy, label: string) => MeshPass;

/** Draws of a pass that have a render pass of their own. */
interface PassSection {
  readonly steadyDraws: SteadyDraws;
  readonly record: (draws: DrawRecorder) => void;
  /** Its runs, where the pass has several sections. */
  runs: Uint32Array;
  runCount: number;
}

/** Policy that makes a pass draw as it does. */
export interface PassPolicy extends DrawStatePolicy {
  /** Rises when pipelines are others than before, for the same keys. */
  readonly version: number;
  /** Created when first asked for, which must be outside passes. */
  pipeline(passKey: number): GraphicsPipelineHandle;
  /** In how many sections the pass is recorded, each in a render pass of its own; default: 1. */
  readonly sections?: number;
  /** The section that draws with this key. */
  sectionOf?(passKey: number): number;
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
  readonly #sections: PassSection[] = [];
  readonly #ranks = new DrawRanks();
  readonly #bindings = { frameGroup: 0, attributes: 0 };
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
  // State that the draws of the last frame named, beside the list itself.
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
    this.#bindings.frameGroup = frameGroup as number;
    this.#bindings.attributes = this.#stores.geometries.defaultAttributes as number;
    this.#ranks.update(this.#order, this.#policy, this.#stores);
    const { sections = 1 } = this.#policy;
    for (let index = 0; index < sections; index++) {
      const section = this.#section(index);
      this.#selectRuns(section, index, sections);
      section.steadyDraws.prepare(isSame, section.runCount, section.record);
    }
    // Sections of a policy that had more.
    for (let index = sections; index < this.#sections.length; index++)
      this.#section(index).steadyDraws.dispose();
  }

  /** Draw calls of the last `prepare`. */
  get drawCalls(): number {
    return this.#drawList.runs;
  }

  get instanceCount(): number {
    return this.#drawList.opaqueCount + this.#drawList.blendedCount;
  }

  /** In a render pass. @param index the section, of those that the policy tells apart */
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

  #section(index: number): PassSection {
    this.#sections[index] ??= {
      steadyDraws: new SteadyDraws(this.#rhi),
      record: (draws) => this.#recordSection(draws, this.#section(index)),
      runs: this.#drawList.runWords,
      runCount: 0,
    };
    return this.#sections[index];
  }

  /** Per frame: finds the runs of a section among those of the draw list. */
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

  /** Pipelines are created as soon as something may be drawn with them. @returns false when some were */
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
