/** Transforms of actors as ten numbers, read and written to the bit. */
import type * as fencepost from 'fencepost';
import type { Transform } from './soak-state.js';

export function readTransform({ position, rotation, scale }: fencepost.Actor): number[] {
  const { x, y, z } = position;
  return [x, y, z, rotation.x, rotation.y, rotation.z, rotation.w, scale.x, scale.y, scale.z];
}

/** To the bit: `rotation.set` would make it a unit quaternion once more. */
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
