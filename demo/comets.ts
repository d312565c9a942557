/**
 * Comets that circle above the page-driven swarm. The motion of each box is declared once, when the box is created.
 * From then on the render thread moves it, even while the page is busy.
 *
 *   two circles, tilted against each other      ╲ ╱      three comets per circle: a head, then ever smaller boxes
 *                                               ╱ ╲
 */
import { boxGeometry, orbit, standardMaterial, type World } from '../src/index.js';

const COMETS_PER_CIRCLE = 3;
const BOXES_PER_COMET = 16;
/** Radius of the circles, in metres. */
const RADIUS = 8.4;
const HEAD_SIZE = 0.52;
const CENTER = [0, 0.6, 0] as const;
/** Radians between two boxes of a comet. */
const SPACING = 0.062;
/** Radians by which the circles lean to either side. */
const TILT = 0.62;

const CIRCLES = [
  { tilt: TILT, radiansPerSecond: 0.9 },
  { tilt: -TILT, radiansPerSecond: -0.7 },
] as const;

export function addComets(world: World): void {
  const shape = boxGeometry({ size: 1 });
  const material = standardMaterial({
    name: 'comet',
    baseColor: '#46d3bd',
    emissive: '#46d3bd',
    emissiveStrength: 0.9,
    roughness: 0.4,
  });
  for (const { tilt, radiansPerSecond } of CIRCLES) {
    const motion = orbit({
      center: CENTER,
      axis: [-Math.sin(tilt), Math.cos(tilt), 0],
      radiansPerSecond,
      turnsAlong: true,
    });
    for (let comet = 0; comet < COMETS_PER_CIRCLE; comet++) {
      for (let box = 0; box < BOXES_PER_COMET; box++) {
        const behind = box * SPACING * Math.sign(radiansPerSecond);
        const angle = (comet / COMETS_PER_CIRCLE) * 2 * Math.PI - behind;
        const along = RADIUS * Math.cos(angle);
        const actor = world.addMesh({
          geometry: shape,
          material,
          position: [
            CENTER[0] + along * Math.cos(tilt),
            CENTER[1] + along * Math.sin(tilt),
            CENTER[2] + RADIUS * Math.sin(-angle),
          ],
          rotation: [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)],
          scale: HEAD_SIZE * (1 - box / BOXES_PER_COMET) ** 0.8,
        });
        actor.motion = motion;
      }
    }
  }
}
