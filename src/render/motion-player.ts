import { readDouble } from '../core/double-words.js';
import type { StreamReader } from '../core/stream.js';
import { RenderOpcode } from '../proxy/commands.js';
import { MATERIAL_FLOATS } from '../proxy/material-layout.js';
import {
  type EvaluateMotion,
  evaluateOrbit,
  evaluateSpin,
  MotionKind,
  MotionTarget,
} from '../proxy/motion.js';
import { evaluateFollow, followSeconds } from '../proxy/motion-follow.js';
import { evaluateKeyframes, keyframesSeconds } from '../proxy/motion-keyframes.js';
import type { MaterialTable } from './material-table.js';
import type { NodeHierarchy } from './node-hierarchy.js';

/**
 * Carries out what was declared of nodes and materials (`proxy/motion.ts`): before a list is recorded, every motion
 * writes what it drives, as of the list's scene time, over what the game has sent.
 *
 *   declareMotion ─► motions by target and id ─ apply(scene time) ─► local transforms, material numbers
 *
 * Part of `worker-features.js`: pages without motion don't load it. What is declared of a node or material goes with
 * it; its id is not used again before the next list, so that nothing else can be meant by it.
 */
interface Declared {
  readonly evaluate: EvaluateMotion;
  readonly startSeconds: number;
  /** Scene time from which on nothing changes any more. */
  readonly endSeconds: number;
  readonly parameters: Float32Array;
}

const TRANSFORM_FLOATS = 10;

const forEver = (rate: number): number => (rate === 0 ? 0 : Number.POSITIVE_INFINITY);

/** By `MotionKind`: what evaluates it, and how long it lasts in seconds. */
const KINDS: readonly {
  readonly evaluate: EvaluateMotion;
  readonly seconds: (parameters: Float32Array) => number;
}[] = (() => {
  const kinds = [];
  kinds[MotionKind.spin] = { evaluate: evaluateSpin, seconds: (p: Float32Array) => forEver(p[3] as number) };
  kinds[MotionKind.orbit] = {
    evaluate: evaluateOrbit,
    seconds: (p: Float32Array) => forEver(p[6] as number),
  };
  kinds[MotionKind.keyframes] = { evaluate: evaluateKeyframes, seconds: keyframesSeconds };
  kinds[MotionKind.follow] = { evaluate: evaluateFollow, seconds: followSeconds };
  return kinds;
})();

export class MotionPlayer {
  readonly #nodes: NodeHierarchy;
  readonly #materials: MaterialTable;
  readonly #ofNodes = new Map<number, Declared>();
  readonly #ofMaterials = new Map<number, Declared>();
  readonly #node = new Uint32Array(1);
  readonly #transform = new Float32Array(TRANSFORM_FLOATS);
  readonly #material = new Float32Array(MATERIAL_FLOATS);
  #appliedSeconds = Number.NEGATIVE_INFINITY;

  constructor(nodes: NodeHierarchy, materials: MaterialTable) {
    this.#nodes = nodes;
    this.#materials = materials;
  }

  /** Executes `declareMotion` or `clearMotion`. */
  execute({ words, floats, fields: at, opcode }: StreamReader): void {
    const declared = words[at] === MotionTarget.node ? this.#ofNodes : this.#ofMaterials;
    const id = words[at + 1] as number;
    const kind = KINDS[words[at + 2] as number];
    if (opcode === RenderOpcode.clearMotion || !kind) {
      declared.delete(id);
      return;
    }
    const startSeconds = readDouble(words, at + 3);
    const parameters = floats.slice(at + 6, at + 6 + (words[at + 5] as number));
    const endSeconds = startSeconds + kind.seconds(parameters);
    declared.set(id, { evaluate: kind.evaluate, startSeconds, endSeconds, parameters });
  }

  /** Whether a motion goes on after the scene time of the last list. */
  get isMoving(): boolean {
    for (const { endSeconds } of this.#ofNodes.values()) if (endSeconds > this.#appliedSeconds) return true;
    for (const { endSeconds } of this.#ofMaterials.values())
      if (endSeconds > this.#appliedSeconds) return true;
    return false;
  }

  /**
   * Per list: writes what is driven, as of `seconds` of scene time.
   * @returns whether anything is other than it was
   */
  apply(seconds: number): boolean {
    this.#appliedSeconds = seconds;
    let hasChanged = false;
    for (const [node, declared] of this.#ofNodes) {
      if (!this.#nodes.has(node)) this.#ofNodes.delete(node);
      else if (this.#moveNode(node, declared, seconds)) hasChanged = true;
    }
    for (const [material, declared] of this.#ofMaterials) {
      if (!this.#materials.has(material)) this.#ofMaterials.delete(material);
      else if (this.#changeMaterial(material, declared, seconds)) hasChanged = true;
    }
    return hasChanged;
  }

  #moveNode(node: number, { evaluate, startSeconds, parameters }: Declared, seconds: number): boolean {
    const { local } = this.#nodes;
    const transform = this.#transform;
    const at = node * TRANSFORM_FLOATS;
    for (let index = 0; index < TRANSFORM_FLOATS; index++) transform[index] = local[at + index] as number;
    evaluate(parameters, seconds - startSeconds, transform, 0);
    if (isSame(transform, local, at)) return false;
    this.#node[0] = node;
    this.#nodes.setTransforms(this.#node, 0, 1, transform, 0);
    return true;
  }

  #changeMaterial(
    material: number,
    { evaluate, startSeconds, parameters }: Declared,
    seconds: number,
  ): boolean {
    const { floats, dirty, slotWords } = this.#materials.storage;
    const values = this.#material;
    const at = material * slotWords;
    for (let index = 0; index < MATERIAL_FLOATS; index++) values[index] = floats[at + index] as number;
    evaluate(parameters, seconds - startSeconds, values, 0);
    if (isSame(values, floats, at)) return false;
    for (let index = 0; index < MATERIAL_FLOATS; index++) floats[at + index] = values[index] as number;
    dirty.mark(material);
    return true;
  }
}

function isSame(values: Float32Array, others: Float32Array, at: number): boolean {
  for (let index = 0; index < values.length; index++) if (values[index] !== others[at + index]) return false;
  return true;
}
