import {
  boxGeometry,
  type Engine,
  planeGeometry,
  sphereGeometry,
  standardMaterial,
} from '../../src/index.js';

export default async function build(engine: Engine): Promise<void> {
  const { world } = engine;
  world.addCamera({ position: [0, 3, 16], lookAt: [0, 2.5, 0], fovY: 0.8 });
  await world.setEnvironment('sky', { background: true });
  world.addDirectionalLight({ direction: [0.3, -0.25, 1], intensity: 4, color: '#ffd9a0' });
  const water = standardMaterial({ baseColor: '#1c2f38', roughness: 0.15 });
  world.addMesh({ geometry: planeGeometry({ size: 600, facing: 'y' }), material: water });
  const hill = sphereGeometry({ radius: 1, segments: 32 });
  const wood = standardMaterial({ baseColor: '#3c4a2e', roughness: 0.9 });
  for (let index = 0; index < 14; index++) {
    const side = index % 2 ? 1 : -1;
    world.addMesh({
      geometry: hill,
      material: wood,
      position: [side * (14 + index * 3), 0, -index * 9],
      scale: [10 + index, 4 + (index % 3) * 2, 9],
    });
  }
  const post = boxGeometry({ size: [0.25, 2.2, 0.25] });
  const oak = standardMaterial({ baseColor: '#6b4f36', roughness: 0.8 });
  for (let index = 0; index < 12; index++) {
    for (const x of [-1.2, 1.2]) {
      world.addMesh({ geometry: post, material: oak, position: [x, 0.6, 10 - index * 4] });
    }
  }
  engine.toneMapping = 'agx';
  engine.effects.fog = { density: 0.06, height: 0.5, heightFalloff: 0.25, sunAmount: 0.15 };
}
