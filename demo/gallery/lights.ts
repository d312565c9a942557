import { boxGeometry, type Engine, planeGeometry, standardMaterial } from '../../src/index.js';

export default async function build(engine: Engine): Promise<void> {
  const { world } = engine;
  engine.renderer = 'deferred';
  world.addCamera({ position: [0, 7, 11], lookAt: [0, 0, 0], fovY: 0.7 });
  world.addMesh({
    geometry: planeGeometry({ size: 20 }),
    material: standardMaterial({ baseColor: '#8a8a90', roughness: 0.5 }),
    rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2],
  });
  const material = standardMaterial({ baseColor: '#e0e0e0', roughness: 0.4 });
  const pillar = boxGeometry({ size: [0.4, 1.2, 0.4] });
  for (let x = -4; x <= 4; x++) {
    for (let z = -4; z <= 4; z++) {
      world.addMesh({ geometry: pillar, material, position: [x * 1.8, 0.6, z * 1.8] });
    }
  }
  // Each light reaches three metres, and costs time only for the pixels that it reaches.
  const colors = ['#ff6040', '#ffb040', '#40c0ff', '#8060ff', '#40e090'];
  for (let index = 0; index < 120; index++) {
    const angle = index * 2.4;
    const radius = 0.75 * Math.sqrt(index);
    const position = [radius * Math.cos(angle), 1.6, radius * Math.sin(angle)];
    world.addPointLight({ position, color: colors[index % 5] ?? '#fff', intensity: 1.5, range: 3 });
  }
}
