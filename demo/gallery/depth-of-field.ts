import {
  boxGeometry,
  type Engine,
  planeGeometry,
  sphereGeometry,
  standardMaterial,
} from '../../src/index.js';

export default async function build(engine: Engine): Promise<void> {
  const { world } = engine;
  world.addCamera({ position: [0.9, 1.1, 3.2], lookAt: [-0.2, 0.6, -2], fovY: 0.6 });
  await world.setEnvironment('studio', { background: false });
  world.addDirectionalLight({ direction: [-1, -2, -1], intensity: 2, castShadow: true });
  const floor = standardMaterial({ baseColor: '#565d66', roughness: 0.7 });
  world.addMesh({ geometry: planeGeometry({ size: 60, facing: 'y' }), material: floor });
  const post = boxGeometry({ size: [0.18, 1, 0.18] });
  const oak = standardMaterial({ baseColor: '#a07b52', roughness: 0.8 });
  const ball = sphereGeometry({ radius: 0.14 });
  for (let index = 0; index < 9; index++) {
    const z = 2 - index * 1.4;
    world.addMesh({ geometry: post, material: oak, position: [0, 0.5, z] });
    const glow = standardMaterial({ baseColor: '#000', emissive: '#ff9838', emissiveStrength: 2 });
    world.addMesh({ geometry: ball, material: glow, position: [0, 1.14, z] });
  }
  engine.background = '#1a1f27';
  engine.toneMapping = 'agx';
  engine.effects.depthOfField = { focusDistance: 4.1, fStop: 0.8, sensorHeight: 0.1, maximumBlur: 0.05 };
}
