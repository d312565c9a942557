import { boxGeometry, type Engine, planeGeometry, standardMaterial } from '../../src/index.js';

export default async function build(engine: Engine): Promise<void> {
  const { world } = engine;
  const camera = world.addCamera({ position: [3, 2.2, 6], lookAt: [0, 0.7, 0], fovY: 0.6 });
  world.addDirectionalLight({ direction: [-1, -2, -1], intensity: 3, castShadow: true });
  world.setAmbient('#cfe0ff', 0.6);
  const grass = standardMaterial({ baseColor: '#6d8f5a', roughness: 1 });
  world.addMesh({ geometry: planeGeometry({ size: 20, facing: 'y' }), material: grass });
  const white = standardMaterial({ baseColor: '#fff', roughness: 0.8 });
  const post = boxGeometry({ size: [0.08, 1.2, 0.03] });
  for (let index = 0; index < 24; index++) {
    world.addMesh({ geometry: post, material: white, position: [index * 0.2 - 2.4, 0.6, 0] });
  }
  const rail = boxGeometry({ size: [5, 0.07, 0.04] });
  for (const y of [0.35, 0.95]) world.addMesh({ geometry: rail, material: white, position: [0, y, -0.03] });
  engine.background = '#9cc4e4';
  const half = { y: 0, width: 0.5, height: 1 };
  engine.addView({ camera, rect: { x: 0, ...half }, antialias: 1 });
  engine.addView({ camera, rect: { x: 0.5, ...half }, antialias: 'fxaa' });
}
