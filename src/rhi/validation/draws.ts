/**
 * State and draws inside a pass. What a draw needs is looked through again only after something it depends on was
 * set; between, a draw compares its counts with limits found then. Per draw; allocates nothing.
 *
 *   setVertexBuffer ─► not verified     draw ─► verify: pipeline, groups, buffers ─► limits     draw ─► counts ≤ limits
 */
import { INDEX_SHIFT } from '../commands/handles.js';
import {
  bufferFits,
  elementCount,
  INDEX_USE,
  INDIRECT_USE,
  VERTEX_USE,
  WIDE_INDEX_USE,
} from './bound-buffers.js';
import { isAlive, isDeclared, offsetsFit } from './bound-groups.js';
import { reportGroup, reportIndexFormat, reportPlace } from './draw-faults.js';
import { groupDataIsFresh } from './dynamic-data.js';
import {
  type BindGroupModel,
  type BufferModel,
  type ComputePipelineModel,
  type GraphicsPipelineModel,
  nameOf,
} from './models.js';
import { fitsPass } from './pipeline-fit.js';
import { PassKind, type ValidationState } from './state.js';
import { UsageScope } from './usage-scope.js';

const MAXIMUM_GROUPS = 8;
const MAXIMUM_SLOTS = 16;
/** A negative number is above it, as the unsigned word that it is recorded as. */
const MOST_COUNTED = 2 ** 31 - 1;
const COUNTED = {
  'vertex-range': 'vertices up to',
  'index-range': 'indices up to',
  'instance-range': 'instances up to',
} as const;
/** In place of a bound range's length. */
const UNSET = -1;
/** A check refused what was to be set here, and said so: a draw that needs it is dropped in silence. */
const REFUSED = -2;

export class DrawState {
  readonly scope: UsageScope;
  readonly #state: ValidationState;
  readonly #buffers: readonly (BufferModel | undefined)[];
  readonly #bindGroups: readonly (BindGroupModel | undefined)[];
  readonly #groupLimit: number;
  readonly #slotLimit: number;
  #pipeline: GraphicsPipelineModel | ComputePipelineModel | null = null;
  #isPipelineRefused = false;
  readonly #groups: (BindGroupModel | null)[] = new Array(MAXIMUM_GROUPS).fill(null);
  #refusedGroups = 0;
  readonly #vertexBytes = new Float64Array(MAXIMUM_SLOTS);
  #indexBytes = UNSET;
  #indexFormat = 0;
  #isVerified = false;
  #isSound = false;
  #vertexLimit = 0;
  #instanceLimit = 0;

  constructor(state: ValidationState) {
    this.#state = state;
    this.scope = new UsageScope(state);
    this.#buffers = state.models.buffers.slots;
    this.#bindGroups = state.models.bindGroups.slots;
    this.#groupLimit = Math.min(MAXIMUM_GROUPS, state.limit('maxBindGroups'));
    this.#slotLimit = Math.min(MAXIMUM_SLOTS, state.limit('maxVertexBuffers'));
  }

  /** State does not outlive its pass. */
  reset(): void {
    this.#pipeline = null;
    this.#isPipelineRefused = false;
    this.#groups.fill(null);
    this.#refusedGroups = 0;
    this.#vertexBytes.fill(UNSET);
    this.#indexBytes = UNSET;
    this.#isVerified = false;
  }

  setGraphicsPipeline(handle: number): boolean {
    if (!this.isIn(PassKind.render)) return false;
    this.#isVerified = false;
    const state = this.#state;
    const pipeline = state.find(state.models.graphicsPipelines, handle);
    const isFine = pipeline !== null && (pipeline.fits === state.pass.signature || this.#fitsPass(pipeline));
    this.#isPipelineRefused = !isFine;
    this.#pipeline = isFine ? pipeline : null;
    return isFine;
  }

  setComputePipeline(handle: number): boolean {
    if (!this.isIn(PassKind.compute)) return false;
    this.#isVerified = false;
    this.#pipeline = this.#state.find(this.#state.models.computePipelines, handle);
    this.#isPipelineRefused = this.#pipeline === null;
    return this.#pipeline !== null;
  }

  setBindGroup(words: Uint32Array, at: number, fieldWords: number): boolean {
    const state = this.#state;
    if (!this.isIn(state.pass.kind)) return false;
    const index = words[at];
    if (index >= this.#groupLimit) {
      return state.report('bind-group-index', { command: state.command, index, limit: this.#groupLimit - 1 });
    }
    const group = this.#findGroup(words[at + 1]);
    if (
      group === null ||
      !offsetsFit(state, group, words, at + 2, fieldWords - 3) ||
      (group.hasDynamicData && !groupDataIsFresh(state, group, words, at + 3)) ||
      (group.aliveAt !== state.models.destroyCount && !isAlive(state, group)) ||
      (group.declaredAt !== state.models.transitionCount && !isDeclared(state, group)) ||
      (state.pass.kind === PassKind.render &&
        group.scope !== this.scope.number &&
        !this.scope.noteGroup(group))
    ) {
      this.#groups[index] = null;
      this.#refusedGroups |= 1 << index;
      this.#isVerified = false;
      return false;
    }
    if (this.#groups[index] === group) return true;
    this.#groups[index] = group;
    this.#refusedGroups &= ~(1 << index);
    this.#isVerified = false;
    return true;
  }

  setVertexBuffer(words: Uint32Array, at: number): boolean {
    if (!this.isIn(PassKind.render)) return false;
    const state = this.#state;
    const slot = words[at];
    if (slot >= this.#slotLimit) {
      return state.report('vertex-buffer-slot', { slot, limit: this.#slotLimit - 1 });
    }
    const buffer = this.#findBuffer(words[at + 1]);
    const isFine =
      buffer !== null && bufferFits(state, this.scope, buffer, words[at + 2], words[at + 3], VERTEX_USE);
    const bytes = isFine ? words[at + 3] : REFUSED;
    if (this.#vertexBytes[slot] !== bytes || !this.#isSound) this.#isVerified = false;
    this.#vertexBytes[slot] = bytes;
    return isFine;
  }

  setIndexBuffer(words: Uint32Array, at: number): boolean {
    if (!this.isIn(PassKind.render)) return false;
    this.#indexFormat = words[at + 1];
    const use = this.#indexFormat === 0 ? INDEX_USE : WIDE_INDEX_USE;
    const buffer = this.#findBuffer(words[at]);
    const isFine =
      buffer !== null && bufferFits(this.#state, this.scope, buffer, words[at + 2], words[at + 3], use);
    this.#indexBytes = isFine ? words[at + 3] : REFUSED;
    // What was found wrong is said again, with the next draw's name.
    if (!this.#isSound) this.#isVerified = false;
    return isFine;
  }

  draw(words: Uint32Array, at: number): boolean {
    if (!this.isIn(PassKind.render) || !this.#verify()) return this.#skip();
    const end = words[at] === 0 ? 0 : words[at] + words[at + 2];
    if (end > this.#vertexLimit) return this.#outOfRange('vertex-range', end, this.#vertexLimit);
    return this.#instancesFit(words[at + 1], words[at + 3]) || this.#skip();
  }

  drawIndexed(words: Uint32Array, at: number): boolean {
    if (!this.isIn(PassKind.render) || !this.#verify() || !this.#indicesAreSet()) return this.#skip();
    const count = this.#indexFormat === 0 ? this.#indexBytes >>> 1 : this.#indexBytes >>> 2;
    const end = words[at] + words[at + 2];
    if (end > count) return this.#outOfRange('index-range', end, count);
    return this.#instancesFit(words[at + 1], words[at + 4]) || this.#skip();
  }

  drawIndirect(words: Uint32Array, at: number, isIndexed: boolean): boolean {
    const isFine =
      this.isIn(PassKind.render) &&
      this.#verify() &&
      (!isIndexed || this.#indicesAreSet()) &&
      this.#argumentsFit(words, at, isIndexed ? 20 : 16);
    return isFine || this.#skip();
  }

  dispatch(words: Uint32Array, at: number): boolean {
    if (!this.isIn(PassKind.compute) || !this.#verify()) return this.#skip();
    const [x, y, z] = [words[at], words[at + 1], words[at + 2]];
    const limit = this.#state.limit('maxComputeWorkgroupsPerDimension');
    if (x > limit || y > limit || z > limit) {
      this.#state.report('dispatch-size', { x, y, z, limit });
      return this.#skip();
    }
    return this.#dispatchScopeIsFine() || this.#skip();
  }

  dispatchIndirect(words: Uint32Array, at: number): boolean {
    const isFine =
      this.isIn(PassKind.compute) &&
      this.#verify() &&
      this.#dispatchScopeIsFine() &&
      this.#argumentsFit(words, at, 12);
    return isFine || this.#skip();
  }

  /** The open pass is of this kind and was not dropped. */
  isIn(kind: number): boolean {
    const { pass } = this.#state;
    if (pass.kind === kind && kind !== PassKind.none && !pass.isDropped) return true;
    if (pass.kind !== PassKind.none && pass.isDropped) return false;
    return reportPlace(this.#state, kind);
  }

  #skip(): false {
    this.#state.skippedDraws++;
    return false;
  }

  /** All that the pipeline asks for is set and fits; found anew only after something was set. */
  #verify(): boolean {
    if (this.#isVerified) return this.#isSound;
    this.#isVerified = true;
    this.#isSound = this.#pipelineIsSet() && this.#groupsFit() && this.#vertexBuffersFit();
    return this.#isSound;
  }

  #pipelineIsSet(): boolean {
    if (this.#pipeline !== null) return true;
    const { command, passName } = this.#state;
    if (!this.#isPipelineRefused) this.#state.report('pipeline-missing', { command, pass: passName });
    return false;
  }

  #groupsFit(): boolean {
    const pipeline = this.#pipeline;
    if (pipeline === null) return false;
    const { layoutIds } = pipeline;
    for (let index = 0; index < layoutIds.length; index++) {
      const needed = layoutIds[index];
      const group = this.#groups[index];
      if (needed === 0 || group?.layout?.id === needed) continue;
      if ((this.#refusedGroups >> index) & 1) return false;
      return reportGroup(this.#state, pipeline, index, group);
    }
    return true;
  }

  #vertexBuffersFit(): boolean {
    const pipeline = this.#pipeline;
    this.#vertexLimit = this.#instanceLimit = MOST_COUNTED;
    if (pipeline === null || !('vertexSlots' in pipeline)) return true;
    const { vertexSlots } = pipeline;
    for (let i = 0; i < vertexSlots.length; i++) {
      const { slot, stride, lastBytes, isPerInstance } = vertexSlots[i];
      const bytes = this.#vertexBytes[slot];
      if (bytes === REFUSED) return false;
      if (bytes === UNSET) {
        const { command } = this.#state;
        return this.#state.report('vertex-buffer-missing', { command, pipeline: nameOf(pipeline), slot });
      }
      const count = elementCount(bytes, stride, lastBytes);
      if (isPerInstance) this.#instanceLimit = Math.min(this.#instanceLimit, count);
      else this.#vertexLimit = Math.min(this.#vertexLimit, count);
    }
    return true;
  }

  #indicesAreSet(): boolean {
    const pipeline = this.#pipeline as GraphicsPipelineModel;
    if (this.#indexBytes < 0) {
      if (this.#indexBytes === REFUSED) return false;
      const { command } = this.#state;
      return this.#state.report('index-buffer-missing', { command, pipeline: nameOf(pipeline) });
    }
    if (!pipeline.isStrip || pipeline.stripFormat === this.#indexFormat) return true;
    return reportIndexFormat(this.#state, pipeline, this.#indexFormat);
  }

  #instancesFit(count: number, first: number): boolean {
    const end = count === 0 ? 0 : first + count;
    return end <= this.#instanceLimit || this.#report('instance-range', end, this.#instanceLimit);
  }

  #outOfRange(code: 'vertex-range' | 'index-range', end: number, count: number): false {
    this.#report(code, end, count);
    return this.#skip();
  }

  #report(code: keyof typeof COUNTED, end: number, count: number): false {
    const { command } = this.#state;
    const pipeline = this.#pipeline === null ? '' : nameOf(this.#pipeline);
    if (end > MOST_COUNTED) {
      return this.#state.report('draw-count', { command, pipeline, what: COUNTED[code], end });
    }
    return this.#state.report(code, { command, end, count, pipeline });
  }

  // Lookups of one kind only, which the engine makes fast.

  #findBuffer(handle: number): BufferModel | null {
    const buffer = this.#buffers[handle >>> INDEX_SHIFT];
    if (buffer !== undefined && buffer.handle === handle && buffer.isAlive && !buffer.isFailed) return buffer;
    return this.#state.find(this.#state.models.buffers, handle);
  }

  #findGroup(handle: number): BindGroupModel | null {
    const group = this.#bindGroups[handle >>> INDEX_SHIFT];
    if (group === undefined || group.handle !== handle || !group.isAlive || group.isFailed) {
      return this.#state.find(this.#state.models.bindGroups, handle);
    }
    group.usedInList = this.#state.list;
    return group;
  }

  #argumentsFit(words: Uint32Array, at: number, byteLength: number): boolean {
    const buffer = this.#findBuffer(words[at]);
    if (buffer === null) return false;
    return bufferFits(this.#state, this.scope, buffer, words[at + 1], byteLength, INDIRECT_USE);
  }

  /** Each dispatch is a usage scope of its own, of the groups its pipeline uses. */
  #dispatchScopeIsFine(): boolean {
    const { scope } = this;
    scope.begin();
    const ids = this.#pipeline?.layoutIds ?? [];
    for (let index = 0; index < ids.length; index++) {
      const group = this.#groups[index];
      if (group !== null && ids[index] !== 0 && !scope.noteGroup(group)) return false;
    }
    return true;
  }

  #fitsPass(pipeline: GraphicsPipelineModel): boolean {
    const fits = fitsPass(this.#state, pipeline);
    if (fits) pipeline.fits = this.#state.pass.signature;
    return fits;
  }
}
