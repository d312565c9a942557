/**
 * The values of `actor.motion` and `material.motion`: declarations made by `spin`, `orbit`, `keyframes` or
 * `animate`. A declaration references the code that runs it, so pages without motion load none of that code.
 *
 *   actor.motion = spin(…) ──moverFor──► Mover ── enters the world's MotionUpdates ──► declareMotion
 */
import { OptionError } from '../../core/errors.js';
import type { SceneUpdates } from '../updates/scene-updates.js';

/** Moves one actor or one material. */
export interface Mover<M = unknown> {
  readonly motion: M;
  /** Begins at once if the owner is in a world already. */
  begin(): void;
  /** Ends the motion. The owner keeps its current values. */
  end(): void;
  /**
   * Declares the motion in a world. Called when an actor has entered the world, and each time a material's record is
   * sent.
   * @param id id of the material in the world
   */
  enter(updates: SceneUpdates, id?: number): void;
  leave(updates: SceneUpdates): void;
}

/** A motion for a kind of owner. */
interface MotionFor<Owner, M extends Mover = Mover> {
  /** @internal Throws `option-invalid` for an owner that the motion can't move. */
  moverFor(owner: Owner): M;
}

/** An actor or material that can have a motion. */
interface MotionOwner<M extends Mover> {
  mover: M | null;
}

export function changeMotion<M extends Mover, Owner extends MotionOwner<M>>(
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
