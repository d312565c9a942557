import { boxGeometry, type Engine, planeGeometry, standardMaterial } from '../../src/index.js';

export default async function build(engine: Engine): Promise<void> {
  const { world } = engine;
  world.addCamera({ position: [0, 1.6, 8], lookAt: [0, 0.7, 0], fovY: 0.7 });
  world.setAmbient('#203050', 0.4);
  const ground = standardMaterial({ baseColor: '#30343c', roughness: 0.35 });
  world.addMesh({ geometry: planeGeometry({ size: 20, facing: 'y' }), material: ground });
  world.addMesh({ geometry: planeGeometry({ size: 20 }), material: ground, position: [0, 5, -4] });
  const tube = boxGeometry({ size: [0.12, 1.6, 0.12] });
  for (const [index, color] of ['#ff3b6b', '#ffb03b', '#4bff9f', '#3bb8ff', '#b66bff'].entries()) {
    const emissive = standardMaterial({ baseColor: '#000', emissive: color, emissiveStrength: 6 });
    const x = (index - 2) * 1.4;
    world.addMesh({ geometry: tube, material: emissive, position: [x, 0.9, 0] });
    world.addPointLight({ position: [x, 0.9, 0.5], color, intensity: 4, range: 5 });
  }
  engine.toneMapping = 'agx';
  engine.effects.bloom = { amount: 0.3, radius: 0.75 };
}
