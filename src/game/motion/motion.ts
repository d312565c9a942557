/**
 * What `actor.motion` and `material.motion` are assigned: a declaration, made by `spin`, `orbit`, `keyframes` or
 * `animate`. It carries the code that carries it out, so that pages without motion carry none of it.
 *
 *   actor.motion = spin(…) ──moverFor──► Mover ── enters the world's MotionUpdates ──► declareMotion
 */
import { OptionError } from '../../core/errors.js';
import type { SceneUpdates } from '../updates/scene-updates.js';

/** Moves one actor or one material. */
export interface Mover<M = unknown> {
  readonly motion: M;
  /** Begins, where its owner is in a world already. */
  begin(): void;
  /** Hands over: what it drove stays as it is now. */
  end(): void;
  /** Its owner is in a world now, or is sent again. @param id of a material */
  enter(updates: SceneUpdates, id?: number): void;
  leave(updates: SceneUpdates): void;
}

/** A motion for a kind of owner. */
interface MotionFor<Owner, M extends Mover = Mover> {
  /** @internal Throws `option-invalid` for an owner it can't move. */
  moverFor(owner: Owner): M;
}

/** Who is moved. */
interface Moved<M extends Mover> {
  mover: M | null;
}

export function changeMotion<M extends Mover, Owner extends Moved<M>>(
  owner: Owner,
  motion: MotionFor<Owner, M> | null,
): void {
  if (motion && !motion.moverFor) {
    throw new OptionError('option-invalid', 'motion takes spin(), orbit(), keyframes(), animate() or null.');
  }
  const next = motion?.moverFor(owner) ?? null;
  owner.mover?.end();
  owner.mover = next;
  next?.begin();
}
