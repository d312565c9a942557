/**
 * World matrices of a skin's joints, cached for raycasts and bounds. Most reads find that no joint has moved.
 *
 *   joints and their ancestors, parents first ─► has any local transform or parent changed? ─► world matrices
 *
 * Each component's matrix is computed once, however many joints are attached below it.
 */
import { TransformArray } from '../../proxy/transform-array.js';
import type { SceneComponent } from '../components/scene-component.js';
import { multiply, parentFromLocal } from '../transforms/transform-math.js';

/** A component, with the transform for which its matrix was computed. */
interface PlacedComponent {
  readonly component: SceneComponent;
  readonly parent: PlacedComponent | null;
  readonly local: TransformArray;
  readonly world: number[];
}

export class JointPose {
  readonly #joints: readonly (SceneComponent | null)[];
  /** All joints and their ancestors, parents first. */
  #all: PlacedComponent[] = [];
  #byJoint: (PlacedComponent | undefined)[] = [];

  /** @param joints the skin's joints; `null` for a destroyed one */
  constructor(joints: readonly (SceneComponent | null)[]) {
    this.#joints = joints;
  }

  /** Updates the matrices. @returns whether any has changed since the last call */
  update(): boolean {
    const isSame =
      this.#all.length > 0 &&
      this.#all.every(({ component, parent }) => component.parent === (parent?.component ?? null));
    if (!isSame) this.#collect();
    let isMoved = !isSame;
    for (const placed of this.#all) if (copyLocal(placed)) isMoved = true;
    if (!isMoved) return false;
    for (const { parent, local, world } of this.#all) {
      parentFromLocal(world, local, 0);
      if (parent) multiply(world, parent.world, world);
    }
    return true;
  }

  /** Returns a joint's column-major world matrix. @param index of a joint that is not destroyed */
  worldFromJoint(index: number): readonly number[] {
    return (this.#byJoint[index] as PlacedComponent).world;
  }

  #collect(): void {
    const known = new Map<SceneComponent, PlacedComponent>();
    this.#all = [];
    this.#byJoint = this.#joints.map((joint) => {
      const missing: SceneComponent[] = [];
      for (let up: SceneComponent | null = joint; up && !known.has(up); up = up.parent) missing.push(up);
      for (const component of missing.reverse()) {
        const parent = (component.parent && known.get(component.parent)) ?? null;
        const placed = { component, parent, local: new TransformArray(1), world: [] };
        known.set(component, placed);
        this.#all.push(placed);
      }
      return joint ? known.get(joint) : undefined;
    });
  }
}

/** Copies the local transform. @returns whether it has changed */
function copyLocal({ component, local }: PlacedComponent): boolean {
  const { data } = component.store;
  const { node } = component;
  if (local.isSame(0, data, node)) return false;
  local.copy(0, data, node);
  return true;
}
