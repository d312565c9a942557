import type { VectorLike } from '../../core/math/vectors.js';
import { checkNumber, checkVector } from '../../core/options/check-value.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, numberFrom, optional, property } from '../../core/options/members.js';
import type { SceneUpdates } from '../updates/scene-updates.js';
import type { TickCallback } from '../world/tick-groups.js';

/** The members of an engine that the controls use. */
export interface OrbitControlsHost {
  readonly canvas: HTMLElement;
  readonly world: {
    readonly disposed: AbortSignal;
    /** @internal */
    readonly updates: SceneUpdates;
    /** @internal */
    readonly viewSize: readonly [width: number, height: number];
    onTick(callback: TickCallback): () => void;
  };
  addEventListener(type: 'surfacechange', listener: () => void): void;
  removeEventListener(type: 'surfacechange', listener: () => void): void;
  /** Requests a frame, for engines that draw on demand. */
  invalidate(): void;
}

export const ORBIT_OPTIONS = {
  /** The point that the camera turns about. Default: the origin. */
  target: optional(anything<VectorLike>()),
  /** Metres. Default 0.01. */
  minDistance: property(anything<number>()),
  /** Metres. Default Infinity. */
  maxDistance: property(anything<number>()),
  /** Seconds in which the camera covers about two thirds of a movement; 0: at once. Default 0.06. */
  damping: property(numberFrom(0, 10)),
  /** Radians per second about +Y while no pointer is pressed, in an engine that was started. Default 0. */
  autoRotate: property(numberFrom(-100, 100)),
};

export type OrbitControlsOptions = Shaped<typeof ORBIT_OPTIONS>;

/** Returns the three numbers of `target`. Throws `option-out-of-range` if its length exceeds 1e30. */
export function checkTarget(target: VectorLike): [number, number, number] {
  const [x, y, z] = checkVector('orbitControls', 'target', target, 3);
  checkNumber('orbitControls', 'the length of target', Math.hypot(x, y, z), 0, 1e30);
  return [x, y, z];
}
