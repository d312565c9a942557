/** Motion by keyframes: positions, rotations and scales at given times. */

import { OptionError } from '../../core/errors.js';
import { fillOptions } from '../../core/options/check-options.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, optional } from '../../core/options/members.js';
import { MotionKind, POSITION, ROTATION, SCALE } from '../../proxy/motion/motion.js';
import { evaluateKeyframes } from '../../proxy/motion/motion-keyframes.js';
import {
  type Channel,
  CLIP_OPTIONS,
  checkKeys,
  checkTimes,
  clipParameters,
  type KeyValues,
} from './motion-channels.js';
import { Motion } from './motion-mover.js';

const OPTIONS = {
  ...CLIP_OPTIONS,
  /** Metres, relative to the actor's parent: x, y, z per time, as one flat list or one list per time. */
  positions: optional(anything<KeyValues>()),
  /** Quaternions: x, y, z, w per time. */
  rotations: optional(anything<KeyValues>()),
  /** Factors: x, y, z per time. */
  scales: optional(anything<KeyValues>()),
};

export type KeyframesOptions = Shaped<typeof OPTIONS>;

/**
 * Moves an actor through positions, rotations and scales at given times, counted from the first frame that shows
 * the motion. Writing a property that has keyframes throws `motion-drives`. The other properties can be written.
 * @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range`
 * @example door.motion = keyframes({ times: [0, 2], positions: [[0, 0, 0], [0, 2, 0]] });
 */
export function keyframes(options: KeyframesOptions): Motion {
  const what = 'keyframes';
  const { positions, rotations, scales, loop, interpolation } = fillOptions(what, options, OPTIONS);
  const times = checkTimes(what, options.times, loop);
  const channels: Channel[] = [];
  const add = (name: string, values: KeyValues | undefined, offset: number, isRotation: boolean): void => {
    if (values === undefined) return;
    const size = isRotation ? 4 : 3;
    const kinds = isRotation ? 'x, y, z, w' : 'x, y, z';
    const flat = checkKeys(what, name, values, size, times.length, interpolation, kinds);
    if (isRotation) makeUnit(flat, times.length, interpolation);
    channels.push({ name, values: flat, offset, size, isRotation });
  };
  add('positions', positions, POSITION, false);
  add('rotations', rotations, ROTATION, true);
  add('scales', scales, SCALE, false);
  if (channels.length === 0) {
    throw new OptionError(
      'option-invalid',
      'keyframes takes positions, rotations or scales, or several of them.',
    );
  }
  const parameters = clipParameters(times, interpolation, loop, channels);
  return new Motion({
    name: what,
    kind: MotionKind.keyframes,
    evaluate: evaluateKeyframes,
    isRelative: false,
    parametersFrom: () => parameters,
  });
}

/**
 * Normalizes quaternions without tangents. In a cubic curve, each quaternion also gets the sign that makes it nearer to
 * the previous key.
 */
function makeUnit(flat: number[], count: number, interpolation: string): void {
  const hasTangents = flat.length === count * 12;
  const stride = hasTangents ? 12 : 4;
  for (let key = 0; key < count; key++) {
    const at = key * stride + (hasTangents ? 4 : 0);
    const [x, y, z, w] = flat.slice(at, at + 4) as [number, number, number, number];
    const length = Math.hypot(x, y, z, w);
    if (!(length > 1e-12)) {
      throw new OptionError(
        'option-out-of-range',
        `rotations of keyframes have (0, 0, 0, 0) at key ${key}, which is not a rotation. Use (0, 0, 0, 1) for no rotation.`,
      );
    }
    // Values with tangents stay unchanged, because the tangents fit only these values.
    if (hasTangents) continue;
    let cosine = 1;
    if (interpolation === 'cubic' && key > 0) {
      const before = flat.slice(at - 4, at) as [number, number, number, number];
      cosine = x * before[0] + y * before[1] + z * before[2] + w * before[3];
    }
    const factor = (cosine < 0 ? -1 : 1) / length;
    for (let index = 0; index < 4; index++) flat[at + index] = (flat[at + index] as number) * factor;
  }
}
