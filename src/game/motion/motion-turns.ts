/** Endless circular motions: `spin` about an actor's own axis, `orbit` about a point. */

import { checkOptions } from '../../core/options/check-options.js';
import { checkNumber, checkVector } from '../../core/options/check-value.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, boolean, byDefault, optional } from '../../core/options/members.js';
import {
  evaluateOrbit,
  evaluateSpin,
  MotionKind,
  ORBIT_PARAMETERS,
  ROTATION,
  SPIN_PARAMETERS,
} from '../../proxy/motion/motion.js';
import type { VectorLike } from '../transforms/transform-view.js';
import { Motion } from './motion-mover.js';

const SPIN = {
  /** The actor's local axis, of any length but 0. */
  axis: anything<VectorLike>(),
  /** Rate from −60 to 60; counter-clockwise if the axis points at the viewer. */
  radiansPerSecond: anything<number>(),
};

export type SpinOptions = Shaped<typeof SPIN>;

const ORBIT = {
  /** Metres, in the space of the actor's parent. Default: the origin. */
  center: optional(anything<VectorLike>()),
  /** Axis of the circle in the space of the actor's parent, of any length but 0. Default: +Y. */
  axis: optional(anything<VectorLike>()),
  /** Rate from −60 to 60; counter-clockwise if the axis points at the viewer. */
  radiansPerSecond: anything<number>(),
  /**
   * Whether the actor turns with its path. A moon then always shows the same face, and a camera keeps looking at the
   * centre. Default false: the rotation stays as it is and can be written.
   */
  turnsAlong: byDefault(boolean(), false),
};

export type OrbitOptions = Shaped<typeof ORBIT>;

/**
 * Maximum rate in radians per second: one radian per frame at 60 frames per second. A faster turn would not look
 * like a turn.
 */
const MAXIMUM_RATE = 60;

/**
 * Spins an actor about its local axis, starting from its rotation:
 * rotation(t) = rotation(0) · turn(axis, rate · t). Position and scale can be written meanwhile. After a write to the
 * rotation, the spin continues from the written value.
 * @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range`
 * @example actor.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 1 });
 */
export function spin(options: SpinOptions): Motion {
  checkOptions('spin', options, SPIN);
  const head = [...checkAxis('spin', options.axis), checkRate('spin', options.radiansPerSecond)];
  return new Motion({
    name: 'spin',
    kind: MotionKind.spin,
    evaluate: evaluateSpin,
    isRelative: true,
    parametersFrom: (transform) => {
      const parameters = new Float64Array(SPIN_PARAMETERS);
      parameters.set(head);
      parameters.set(transform.subarray(ROTATION, ROTATION + 4), 4);
      return parameters;
    },
  });
}

/**
 * Moves an actor in a circle about a point, starting from its position. Scale can be written meanwhile, and
 * so can rotation unless `turnsAlong` is set. After a write to the position, the orbit continues from that point.
 * @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range`
 * @example moon.motion = orbit({ center: [0, 0, 0], radiansPerSecond: 0.5, turnsAlong: true });
 */
export function orbit(options: OrbitOptions): Motion {
  checkOptions('orbit', options, ORBIT);
  const { center = [0, 0, 0], axis = [0, 1, 0], turnsAlong = false } = options;
  const middle = checkVector('orbit', 'center', center, 3);
  checkNumber('orbit', 'the length of center', Math.hypot(...middle), 0, 1e30);
  const head = [
    ...middle,
    ...checkAxis('orbit', axis),
    checkRate('orbit', options.radiansPerSecond),
    turnsAlong ? 1 : 0,
  ];
  return new Motion({
    name: 'orbit',
    kind: MotionKind.orbit,
    evaluate: evaluateOrbit,
    isRelative: true,
    parametersFrom: (transform) => {
      const parameters = new Float64Array(ORBIT_PARAMETERS);
      parameters.set(head);
      parameters.set(transform.subarray(0, ROTATION + 4), 8);
      return parameters;
    },
  });
}

function checkAxis(what: string, axis: VectorLike): number[] {
  const [x, y, z] = checkVector(what, 'axis', axis, 3);
  const length = checkNumber(
    what,
    'the length of axis',
    Math.hypot(x, y, z),
    1e-12,
    1e30,
    'An axis is a direction, such as [0, 1, 0].',
  );
  return [x / length, y / length, z / length];
}

function checkRate(what: string, rate: number): number {
  const guess =
    typeof rate === 'number' && Math.abs(rate) <= 3600
      ? `It is in radians per second; ${rate} looks like degrees: write ${rate} * Math.PI / 180.`
      : '';
  return checkNumber(what, 'radiansPerSecond', rate, -MAXIMUM_RATE, MAXIMUM_RATE, guess);
}
