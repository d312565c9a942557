import {
  coneGeometry,
  cylinderGeometry,
  type Engine,
  keyframes,
  sphereGeometry,
  standardMaterial,
  torusGeometry,
} from '../../src/index.js';

export default async function build(engine: Engine): Promise<void> {
  const { world } = engine;
  engine.background = [0, 0, 0, 0];
  world.addCamera({ position: [0, 1.6, 4.2], lookAt: [0, 0.45, 0], fovY: 0.6 });
  await world.setEnvironment('studio');
  world.addShadowCatcher({ size: [6, 4], softness: 0.25, opacity: 0.7, height: 1 });
  const brass = standardMaterial({ baseColor: '#d8a94a', metallic: 1, roughness: 0.25 });
  const glaze = standardMaterial({ baseColor: '#3d7ea6', roughness: 0.2, clearcoat: 1 });
  const clay = standardMaterial({ baseColor: '#c8553d', roughness: 0.7 });
  world.addMesh({
    geometry: cylinderGeometry({ radius: 0.35, height: 0.8 }),
    material: glaze,
    position: [-1.2, 0.4, 0],
  });
  world.addMesh({
    geometry: coneGeometry({ radius: 0.4, height: 0.9 }),
    material: clay,
    position: [1.2, 0.45, 0],
  });
  const ring = world.addMesh({
    geometry: torusGeometry({ radius: 0.4, tube: 0.12 }),
    material: brass,
    position: [0, 0.52, -0.4],
  });
  ring.rotateY(0.5);
  ring.rotateX(Math.PI / 2);
  // The ball rises and falls, so its shadow grows weaker and stronger.
  const ball = world.addMesh({ geometry: sphereGeometry({ radius: 0.25 }), material: clay });
  ball.motion = keyframes({
    times: [0, 0.6, 1.2, 1.8, 2.4],
    positions: [
      [0, 0.25, 0.7],
      [0, 0.6, 0.7],
      [0, 0.9, 0.7],
      [0, 0.6, 0.7],
      [0, 0.25, 0.7],
    ],
    interpolation: 'cubic',
    loop: true,
  });
}
