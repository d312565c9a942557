import { readDouble } from '../../core/records/wide-words.js';
import type { StreamReader } from '../../core/streams/stream.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { MATERIAL_FLOATS } from '../../proxy/materials/material-layout.js';
import {
  type EvaluateMotion,
  evaluateOrbit,
  evaluateSpin,
  MotionKind,
  MotionTarget,
} from '../../proxy/motion/motion.js';
import { evaluateFollow, followSeconds } from '../../proxy/motion/motion-follow.js';
import { evaluateKeyframes, keyframesSeconds } from '../../proxy/motion/motion-keyframes.js';
import type { MaterialTable } from '../materials/material-table.js';
import type { NodeHierarchy } from '../scene/node-hierarchy.js';

/** A motion of one node or material. */
interface Declared {
  readonly id: number;
  readonly evaluate: EvaluateMotion;
  readonly startSeconds: number;
  /** Scene time from which on nothing changes any more. */
  readonly endSeconds: number;
  readonly parameters: Float32Array;
}

/** The motions of nodes, or of materials: packed, one per id. */
class Declarations {
  readonly list: Declared[] = [];
  readonly #places = new Map<number, number>();

  set(declared: Declared): void {
    const place = this.#places.get(declared.id) ?? this.list.length;
    this.#places.set(declared.id, place);
    this.list[place] = declared;
  }

  /** The last one takes its place. */
  delete(id: number): void {
    const place = this.#places.get(id);
    const last = this.list.at(-1);
    if (place === undefined || !last) return;
    this.list[place] = last;
    this.#places.set(last.id, place);
    this.#places.delete(id);
    this.list.pop();
  }

  isMovingAfter(seconds: number): boolean {
    for (let index = 0; index < this.list.length; index++) {
      if ((this.list[index] as Declared).endSeconds > seconds) return true;
    }
    return false;
  }
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

/**
 * Carries out what was declared of nodes and materials (`proxy/motion/motion.ts`): before a list is recorded, every motion
 * writes what it drives, as of the list's scene time, over what the game has sent.
 *
 *   declareMotion ─► motions by target and id ─ apply(scene time) ─► local transforms, material numbers
 *
 * Motions of a node or material go with it. Its id is not used again before the next list, so it can mean nothing else.
 */
export class MotionPlayer {
  readonly #nodes: NodeHierarchy;
  readonly #materials: MaterialTable;
  readonly #ofNodes = new Declarations();
  readonly #ofMaterials = new Declarations();
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
    declared.set({ id, evaluate: kind.evaluate, startSeconds, endSeconds, parameters });
  }

  /** Whether a motion goes on after the scene time of the last list. */
  get isMoving(): boolean {
    const seconds = this.#appliedSeconds;
    return this.#ofNodes.isMovingAfter(seconds) || this.#ofMaterials.isMovingAfter(seconds);
  }

  /**
   * Per list: writes what is driven, as of `seconds` of scene time.
   * @returns whether anything is other than it was
   */
  apply(seconds: number): boolean {
    this.#appliedSeconds = seconds;
    let hasChanged = false;
    // From the end, so that what takes the place of one that has gone was looked at already.
    for (let index = this.#ofNodes.list.length - 1; index >= 0; index--) {
      const declared = this.#ofNodes.list[index] as Declared;
      if (!this.#nodes.has(declared.id)) this.#ofNodes.delete(declared.id);
      else if (this.#moveNode(declared, seconds)) hasChanged = true;
    }
    for (let index = this.#ofMaterials.list.length - 1; index >= 0; index--) {
      const declared = this.#ofMaterials.list[index] as Declared;
      if (!this.#materials.has(declared.id)) this.#ofMaterials.delete(declared.id);
      else if (this.#changeMaterial(declared, seconds)) hasChanged = true;
    }
    return hasChanged;
  }

  /** Per motion and list; allocates nothing. */
  #moveNode({ id, evaluate, startSeconds, parameters }: Declared, seconds: number): boolean {
    const { local } = this.#nodes;
    const transform = this.#transform;
    const at = id * TRANSFORM_FLOATS;
    for (let index = 0; index < TRANSFORM_FLOATS; index++) transform[index] = local[at + index] as number;
    evaluate(parameters, seconds - startSeconds, transform, 0);
    if (isSame(transform, local, at)) return false;
    this.#node[0] = id;
    this.#nodes.setTransforms(this.#node, 0, 1, transform, 0);
    return true;
  }

  #changeMaterial({ id, evaluate, startSeconds, parameters }: Declared, seconds: number): boolean {
    const { floats, dirty, slotWords } = this.#materials.storage;
    const values = this.#material;
    const at = id * slotWords;
    for (let index = 0; index < MATERIAL_FLOATS; index++) values[index] = floats[at + index] as number;
    evaluate(parameters, seconds - startSeconds, values, 0);
    if (isSame(values, floats, at)) return false;
    for (let index = 0; index < MATERIAL_FLOATS; index++) floats[at + index] = values[index] as number;
    dirty.mark(id);
    return true;
  }
}

function isSame(values: Float32Array, others: Float32Array, at: number): boolean {
  for (let index = 0; index < values.length; index++) if (values[index] !== others[at + index]) return false;
  return true;
}
