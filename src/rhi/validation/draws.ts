/**
 * What is set in a pass, and that draws and dispatches find set what they need: the executor leaves out those which do
 * not, so WebGPU never hears of them. Per draw; allocates nothing.
 *
 *   groups set   0b0101   needed by the pipeline   0b0001   ─► goes on
 *   buffers set  0b0000                            0b0001   ─► vertex-buffer-missing
 */
import { dynamicDataIsFresh, groupDataIsFresh } from './dynamic-data.js';
import { type Model, nameOf } from './models.js';
import type { RecordCheck } from './record-check.js';
import type { ValidationState } from './state.js';

/** What a command sets; 0: nothing that draws need. */
export const StateKind = { none: 0, pipeline: 1, bindGroup: 2, vertexBuffer: 3, indexBuffer: 4 } as const;

/** By name of the command. */
export const STATE_KINDS: Readonly<Record<string, number | undefined>> = {
  setGraphicsPipeline: StateKind.pipeline,
  setComputePipeline: StateKind.pipeline,
  setBindGroup: StateKind.bindGroup,
  setVertexBuffer: StateKind.vertexBuffer,
  setIndexBuffer: StateKind.indexBuffer,
};

export class DrawState {
  #pipeline: Model | null = null;
  #isPipelineRefused = false;
  /** Bit i: group, or vertex buffer, i is set. */
  #groups = 0;
  #buffers = 0;
  #hasIndices = false;
  /** Likewise: a check refused what was to be set here, and said so. A draw that needs it is dropped in silence. */
  #refusedGroups = 0;
  #refusedBuffers = 0;
  #areIndicesRefused = false;

  /** State does not outlive its pass. */
  reset(): void {
    this.#pipeline = null;
    this.#groups = this.#buffers = this.#refusedGroups = this.#refusedBuffers = 0;
    this.#isPipelineRefused = this.#hasIndices = this.#areIndicesRefused = false;
  }

  /** A record that sets something was looked at. @param slot of a group or vertex buffer */
  noteState(kind: number, slot: number, model: Model, isFine: boolean): void {
    switch (kind) {
      case StateKind.bindGroup:
        this.#groups = withBit(this.#groups, slot, isFine);
        this.#refusedGroups = withBit(this.#refusedGroups, slot, !isFine);
        break;
      case StateKind.vertexBuffer:
        this.#buffers = withBit(this.#buffers, slot, isFine);
        this.#refusedBuffers = withBit(this.#refusedBuffers, slot, !isFine);
        break;
      case StateKind.indexBuffer:
        this.#hasIndices = isFine;
        this.#areIndicesRefused = !isFine;
        break;
      default:
        this.#pipeline = isFine ? model : null;
        this.#isPipelineRefused = !isFine;
    }
  }

  /** Per draw and dispatch. */
  isComplete(state: ValidationState, needsIndices: boolean): boolean {
    const pipeline = this.#pipeline;
    if (
      pipeline !== null &&
      (pipeline.groupMask & ~this.#groups) === 0 &&
      (pipeline.vertexMask & ~this.#buffers) === 0 &&
      (this.#hasIndices || !needsIndices)
    ) {
      return true;
    }
    return this.#reportLack(state, needsIndices);
  }

  #reportLack(state: ValidationState, needsIndices: boolean): false {
    const { command, passName } = state;
    if (this.#pipeline === null) {
      return this.#isPipelineRefused ? false : state.report('pipeline-missing', { command, pass: passName });
    }
    const { groupMask, vertexMask } = this.#pipeline;
    const pipeline = nameOf(this.#pipeline);
    const [groups, buffers] = [groupMask & ~this.#groups, vertexMask & ~this.#buffers];
    if ((groups & this.#refusedGroups) !== 0 || (buffers & this.#refusedBuffers) !== 0) return false;
    if (groups !== 0) {
      return state.report('bind-group-missing', { command, pipeline, index: lowestBit(groups) });
    }
    if (buffers !== 0) {
      return state.report('vertex-buffer-missing', { command, pipeline, slot: lowestBit(buffers) });
    }
    if (!needsIndices || this.#areIndicesRefused) return false;
    return state.report('index-buffer-missing', { command, pipeline });
  }
}

const withBit = (bits: number, index: number, isSet: boolean): number =>
  isSet ? bits | (1 << index) : bits & ~(1 << index);

const lowestBit = (bits: number): number => 31 - Math.clz32(bits & -bits);

/** The group's resources are alive, declared for this use, and written in this frame where they live for one. */
function setBindGroup({ state, model, words, at }: RecordCheck): boolean {
  const { destroyCount, transitionCount } = state.models;
  if (model.aliveAt !== destroyCount && !referencesAreAlive(state, model)) return false;
  if (model.declaredAt !== transitionCount && !referencesAreDeclared(state, model)) return false;
  const { references } = model;
  for (let i = 0; i < references.length; i++) references[i].model.usedInList = state.list;
  return !model.hasDynamicData || groupDataIsFresh(state, model, words, at + 2);
}

function referencesAreAlive(state: ValidationState, group: Model): boolean {
  for (const { model } of group.references) {
    if (model.isAlive) continue;
    const names = { group: nameOf(group), resource: nameOf(model) };
    return state.report('bind-group-outlived', { command: state.command, ...names });
  }
  group.aliveAt = state.models.destroyCount;
  return true;
}

function referencesAreDeclared(state: ValidationState, group: Model): boolean {
  for (const { model, usage } of group.references) if (!state.isDeclared(model, usage)) return false;
  group.declaredAt = state.models.transitionCount;
  return true;
}

/** `setVertexBuffer` and `setIndexBuffer`: the last two words are an offset and a length in bytes. */
function setBuffer({ state, model, words, at }: RecordCheck): boolean {
  return model.writtenInList === null || dynamicDataIsFresh(state, model, words[at + 2], words[at + 3]);
}

export const stateChecks: Readonly<Record<string, (check: RecordCheck) => boolean>> = {
  setBindGroup,
  setVertexBuffer: setBuffer,
  setIndexBuffer: setBuffer,
};
