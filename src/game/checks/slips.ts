/**
 * Checks for mistakes that would otherwise have no visible effect, or end in an unclear error of JavaScript.
 * Setters and methods call these checks in development only, because a check slows down each write.
 */
import { OptionError, SceneError } from '../../core/errors.js';
import { checkBoolean, checkVector } from '../../core/options/check-value.js';

interface Named {
  readonly name: string;
  readonly isDestroyed: boolean;
}

/** @param what the property or method that was used too late @throws SceneError `component-destroyed` */
export function checkAlive({ isDestroyed, name }: Named, what: string): void {
  if (isDestroyed)
    throw new SceneError('component-destroyed', `"${name}" is destroyed, so its ${what} can't be used.`);
}

/** @throws OptionError `option-invalid`; SceneError `component-destroyed` */
export function checkVisible(owner: Named, value: unknown): void {
  checkAlive(owner, 'visible');
  checkBoolean(owner.name, 'visible', value);
}

/** @throws OptionError `option-invalid`, for example for Euler angles; SceneError `component-destroyed` */
export function checkRotation(owner: Named, value: unknown): void {
  checkAlive(owner, 'rotation');
  if (!('x' in Object(value))) checkVector(`"${owner.name}"`, 'rotation', value as ArrayLike<number>, 4);
}

/** @throws OptionError `option-invalid` */
export function checkMatrix({ name }: Named, out: unknown): void {
  if (out && typeof out === 'object') return;
  throw new OptionError(
    'option-invalid',
    `worldFromLocal of "${name}" takes the array to write to: worldFromLocal(new Float32Array(16)).`,
  );
}

/** @throws OptionError `option-invalid` */
export function checkComponentClass({ name }: Named, kind: unknown): void {
  if (typeof kind === 'function') return;
  throw new OptionError(
    'option-invalid',
    `component of "${name}" takes a class of components: actor.component(MeshComponent).`,
  );
}

/** @throws OptionError `option-invalid`; SceneError `component-destroyed` */
export function checkListener(owner: Named, type: unknown, listener: unknown): void {
  checkAlive(owner, 'addEventListener');
  if (typeof listener === 'function') return;
  throw new OptionError(
    'option-invalid',
    `addEventListener('${String(type)}') of "${owner.name}" takes a function.`,
  );
}

/** Returns whether a value is a BigInt. Arithmetic with a BigInt would throw an unclear error. */
export const isBigInt = (value: unknown): boolean => typeof value === 'bigint';

let hasWarned = false;

/** Warns once that a part of a quaternion was set, because most callers mean an angle. */
export function warnOfParts(part: string): void {
  if (hasWarned) return;
  hasWarned = true;
  console.warn(
    `rotation.${part} was set. A rotation is a quaternion, whose x, y, z and w are not angles. To turn by an angle in radians, call rotateX(), rotateY() or rotateZ().`,
  );
}
