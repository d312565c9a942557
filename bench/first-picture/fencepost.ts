/** FIRST_PICTURE's page with this engine, as a user would write it. */
import { createEngine, orbitControls } from 'fencepost';
import type { Ingredient } from '../lib/first-picture-pages.js';

/**
 * The ingredient that is omitted, to check that the picture needs it. A constant of the build, so that bundlers drop
 * the comparisons.
 */
declare const LACKING: Ingredient | '';

const engine = await createEngine(document.querySelector('canvas') as HTMLCanvasElement);
const { world } = engine;
orbitControls(engine, world.addCamera({ position: [0, 2.5, 3.5], fovY: Math.PI / 3 }));
world.addDirectionalLight({
  direction: [1, -1.5, 0.2],
  intensity: 5,
  castShadow: LACKING !== 'shadows',
});
engine.start();
await Promise.all([
  LACKING !== 'model' && world.load('model.glb'),
  LACKING !== 'environment' && world.setEnvironment('sky.hdr', { background: true }),
]);
await engine.whenReady();
performance.mark('loaded');
