/** Reads and writes transforms of actors as ten numbers, bit for bit. */
import type * as fencepost from 'fencepost';
import type { Transform } from './soak-state.js';

export function readTransform({ position, rotation, scale }: fencepost.Actor): number[] {
  const { x, y, z } = position;
  return [x, y, z, rotation.x, rotation.y, rotation.z, rotation.w, scale.x, scale.y, scale.z];
}

/** Writes a transform bit for bit. `rotation.set` would normalise the quaternion again. */
export function writeTransform({ position, rotation, scale }: fencepost.Actor, transform: Transform): void {
  const [px, py, pz, rx, ry, rz, rw, sx, sy, sz] = transform as readonly [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  position.set(px, py, pz);
  rotation.x = rx;
  rotation.y = ry;
  rotation.z = rz;
  rotation.w = rw;
  scale.set(sx, sy, sz);
}
