/**
 * Points of a world that elements of the page follow:
 *
 *   actor, component   its origin, or an offset in its own space
 *   hit                a point of the surface, also of one that joints or morph targets move
 *   three numbers      a point that stays
 */
import { OptionError } from '../../core/errors.js';
import type { VectorLike } from '../../core/math/vectors.js';
import { checkNumber, checkVector } from '../../core/options/check-value.js';
import type { Actor } from '../../game/components/actor.js';
import { PrimitiveComponent } from '../../game/components/primitive-component.js';
import { type AttachTarget, SceneComponent } from '../../game/components/scene-component.js';
import type { PickResult } from '../../game/picking/pick-result.js';
import { SurfacePoint } from '../../game/picking/surface-point.js';
import { worldPoint } from '../../game/transforms/inverse-rows.js';
import type { Triple } from '../../game/transforms/triples.js';
import type { World } from '../../game/world/world.js';

/** The target of an attached element. */
export type ElementTarget = AttachTarget | PickResult | VectorLike;

/** A point that an element follows. */
export interface ElementAnchor {
  /** The component that has to be shown; `null` for a point that belongs to the world. */
  readonly component: SceneComponent | null;
  /** The world of a point that belongs to the world; `null` for others. */
  readonly world: World | null;
  /** The actor whose meshes never hide the element; `null` for a point of a surface. */
  readonly bearer: Actor | null;
  /** Returns the current position in the world. */
  position(): Triple;
}

const CALL = 'attachElement';

/**
 * Returns the point for a target.
 * @param shownWorld the world of a target that is a point
 * @throws OptionError `option-invalid`, `option-out-of-range`
 */
export function anchorOf(
  target: ElementTarget,
  offset: VectorLike | undefined,
  shownWorld: World | null,
): ElementAnchor {
  const component = componentOf(target);
  if (component) {
    const at = checkPoint('offset', offset ?? [0, 0, 0]);
    const position = (): Triple => worldPoint(component.worldFromLocal([]), at);
    return { component: checkAlive(component), world: null, bearer: component.actor, position };
  }
  if (offset !== undefined) {
    throw new OptionError(
      'option-invalid',
      `offset of ${CALL} needs an actor or a component as the target. It has no meaning for a hit or a point.`,
    );
  }
  if (isHit(target)) {
    checkAlive(target.component);
    checkHit(target);
    const surface = new SurfacePoint(target);
    return { component: target.component, world: null, bearer: null, position: () => surface.position() };
  }
  if (!isVector(target)) throw wrongTarget(target);
  const point = checkPoint('target', target);
  return { component: null, world: shownWorld, bearer: null, position: () => point };
}

function componentOf(target: ElementTarget): SceneComponent | null {
  const root = (target as { readonly root?: unknown } | null)?.root ?? target;
  return root instanceof SceneComponent ? root : null;
}

const isHit = (target: ElementTarget): target is PickResult =>
  (target as Partial<PickResult> | null)?.component instanceof PrimitiveComponent;

const isVector = (target: ElementTarget): target is VectorLike =>
  typeof target === 'object' && target !== null && ('x' in target || 'length' in target);

function checkAlive<T extends SceneComponent>(component: T): T {
  if (component.isDestroyed) throw wrongTarget(component);
  return component;
}

function checkPoint(name: string, value: VectorLike): Triple {
  const point = checkVector(CALL, name, value, 3);
  for (const number of point) checkNumber(CALL, name, number, -1e30, 1e30);
  return point as Triple;
}

/** A page may pass a copy of a hit, for example one from a file. */
function checkHit({ position, localPosition, normal, component, instance }: PickResult): void {
  checkPoint('position of the hit', position);
  checkPoint('localPosition of the hit', localPosition);
  checkPoint('normal of the hit', normal);
  const least = component.instance;
  checkNumber(CALL, 'instance of the hit', instance, least, least + component.placeCount - 1);
  if (!Number.isInteger(instance)) {
    throw new OptionError('option-invalid', `${CALL}: instance of the hit has to be a whole number.`);
  }
}

function wrongTarget(target: unknown): OptionError {
  const takes = `${CALL} takes an element, and a living actor or component, a hit of a pick or ray, or three numbers.`;
  const isPick = target === null || target instanceof Promise;
  const hint = isPick ? ' Await the pick first; it is null if nothing was hit.' : '';
  return new OptionError('option-invalid', takes + hint);
}
