import * as fencepost from 'fencepost';
import type { Picture, Triple } from '../parity/scene.js';
import { depthsOf, FOV_Y, type Shot, type Stand } from './shot.js';

/** Draws with this engine in its default mode, and says where the camera stood. `element` has the picture's size. */
export async function drawWithFencepost(
  element: HTMLElement,
  { file, environment, stand, pose, variant }: Shot,
): Promise<{ readonly picture: Picture; readonly stand: Stand }> {
  const engine = await fencepost.createEngine(element, { background: '#000', pixelRatio: 1, antialias: 1 });
  const { world } = engine;
  await world.setEnvironment(environment);
  const level = await world.load(file);
  if (variant !== undefined) level.variant = variant;
  if (pose) level.play(pose.clip, { speed: 0, startSeconds: pose.seconds });
  await engine.step(0);
  const place = stand ?? standBefore(level.bounds);
  const { position, target } = place;
  world.addCamera({ position, lookAt: target, fovY: FOV_Y, ...depthsOf(place) });
  await engine.whenReady();
  await engine.step(0);
  const picture = await engine.captureFrame();
  await engine.dispose();
  return { picture, stand: place };
}

/** Obliquely from the front and from above, far enough to see all of `bounds`. */
function standBefore({ min, max }: fencepost.Level['bounds']): Stand {
  const middle = (axis: 0 | 1 | 2): number => (min[axis] + max[axis]) / 2;
  const target: Triple = [middle(0), middle(1), middle(2)];
  const size = Math.hypot(...min.map((low, axis) => max[axis]! - low));
  return { target, position: [target[0] + size * 0.9, target[1] + size * 0.5, target[2] + size * 1.4] };
}
