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
import { evaluateFollow } from '../../proxy/motion/motion-follow.js';
import { evaluateKeyframes } from '../../proxy/motion/motion-keyframes.js';
import { motionSeconds } from '../../proxy/motion/motion-seconds.js';
import { TRANSFORM_NUMBERS } from '../../proxy/transform-array.js';
import type { MaterialTable } from '../materials/material-table.js';
import type { NodeHierarchy } from '../scene/node-hierarchy.js';

/** A motion of one node or material. */
interface Declared {
  readonly id: number;
  readonly evaluate: EvaluateMotion;
  readonly startSeconds: number;
  /** Scene time after which nothing changes any more. */
  readonly endSeconds: number;
  readonly parameters: Float64Array;
}

/** The motions of nodes, or of materials: at most one per id, packed in a list. */
class Declarations {
  readonly list: Declared[] = [];
  readonly #places = new Map<number, number>();

  set(declared: Declared): void {
    const place = this.#places.get(declared.id) ?? this.list.length;
    this.#places.set(declared.id, place);
    this.list[place] = declared;
  }

  /** Removes a motion, and moves the list's last motion to its index. */
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

/** Function that evaluates each `MotionKind`. */
const EVALUATES: readonly EvaluateMotion[] = (() => {
  const evaluates: EvaluateMotion[] = [];
  evaluates[MotionKind.spin] = evaluateSpin;
  evaluates[MotionKind.orbit] = evaluateOrbit;
  evaluates[MotionKind.keyframes] = evaluateKeyframes;
  evaluates[MotionKind.follow] = evaluateFollow;
  return evaluates;
})();

/**
 * Plays the motions that the game has declared for nodes and materials (`proxy/motion/motion.ts`). Before a frame's
 * command list is recorded, every motion writes its values at the list's scene time. They replace the values that the
 * game has sent.
 *
 *   declareMotion ─► motions by target and id ─ apply(scene time) ─► local transforms, material numbers
 *
 * A motion ends when its node or material is destroyed. The id is not reused before the next command list, so it never
 * names a new object by mistake.
 */
export class MotionPlayer {
  readonly #nodes: NodeHierarchy;
  readonly #materials: MaterialTable;
  readonly #nodeMotions = new Declarations();
  readonly #materialMotions = new Declarations();
  readonly #transform = new Float64Array(TRANSFORM_NUMBERS);
  readonly #material = new Float32Array(MATERIAL_FLOATS);
  #appliedSeconds = Number.NEGATIVE_INFINITY;

  constructor(nodes: NodeHierarchy, materials: MaterialTable) {
    this.#nodes = nodes;
    this.#materials = materials;
  }

  /** Executes `declareMotion`, `followGoal` or `clearMotion`. */
  execute({ words, fields: at, opcode }: StreamReader): void {
    const declared = words[at] === MotionTarget.node ? this.#nodeMotions : this.#materialMotions;
    const id = words[at + 1] as number;
    const kind = words[at + 2] as number;
    const evaluate = EVALUATES[kind];
    if (opcode === RenderOpcode.clearMotion || !evaluate) {
      declared.delete(id);
      return;
    }
    const startSeconds = readDouble(words, at + 3);
    const parameters = new Float64Array(words[at + 5] as number);
    for (let index = 0; index < parameters.length; index++) {
      parameters[index] = readDouble(words, at + 6 + index * 2);
    }
    const endSeconds = startSeconds + motionSeconds(kind, parameters);
    declared.set({ id, evaluate, startSeconds, endSeconds, parameters });
  }

  /** Whether a motion still changes something after the scene time of the last command list. */
  get isMoving(): boolean {
    const seconds = this.#appliedSeconds;
    return this.#nodeMotions.isMovingAfter(seconds) || this.#materialMotions.isMovingAfter(seconds);
  }

  /**
   * Per command list: writes all driven values, at `seconds` of scene time.
   * @returns whether a value has changed
   */
  apply(seconds: number): boolean {
    this.#appliedSeconds = seconds;
    let hasChanged = false;
    // Iterates backwards, because a deletion moves the last motion, which has been handled, into the gap.
    for (let index = this.#nodeMotions.list.length - 1; index >= 0; index--) {
      const declared = this.#nodeMotions.list[index] as Declared;
      if (!this.#nodes.has(declared.id)) this.#nodeMotions.delete(declared.id);
      else if (this.#moveNode(declared, seconds)) hasChanged = true;
    }
    for (let index = this.#materialMotions.list.length - 1; index >= 0; index--) {
      const declared = this.#materialMotions.list[index] as Declared;
      if (!this.#materials.has(declared.id)) this.#materialMotions.delete(declared.id);
      else if (this.#changeMaterial(declared, seconds)) hasChanged = true;
    }
    return hasChanged;
  }

  /** Writes a node's transform. Called per motion and command list; allocates nothing. */
  #moveNode({ id, evaluate, startSeconds, parameters }: Declared, seconds: number): boolean {
    const transform = this.#transform;
    this.#nodes.local.read(id, transform);
    evaluate(parameters, seconds - startSeconds, transform, 0);
    return this.#nodes.setLocal(id, transform);
  }

  #changeMaterial({ id, evaluate, startSeconds, parameters }: Declared, seconds: number): boolean {
    const { floats, slotWords } = this.#materials.storage;
    const values = this.#material;
    const at = id * slotWords;
    for (let index = 0; index < MATERIAL_FLOATS; index++) values[index] = floats[at + index] as number;
    evaluate(parameters, seconds - startSeconds, values, 0);
    if (isSame(values, floats, at)) return false;
    for (let index = 0; index < MATERIAL_FLOATS; index++) floats[at + index] = values[index] as number;
    this.#materials.noteWritten(id);
    return true;
  }
}

function isSame(values: Float32Array, others: Float32Array, at: number): boolean {
  for (let index = 0; index < values.length; index++) if (values[index] !== others[at + index]) return false;
  return true;
}
