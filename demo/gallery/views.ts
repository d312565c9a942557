import {
  boxGeometry,
  type Engine,
  renderTexture,
  spin,
  standardMaterial,
  unlitMaterial,
} from '../../src/index.js';

export default async function build(engine: Engine): Promise<void> {
  const { world } = engine;
  await world.setEnvironment('studio', { intensity: 0.5 });
  const material = standardMaterial({ baseColor: '#ff7a1a', roughness: 0.3 });
  const cube = world.addMesh({ geometry: boxGeometry(), material });
  cube.motion = spin({ axis: [0.3, 1, 0], radiansPerSecond: 1 });

  const front = world.addCamera({ position: [0, 1.2, 7], lookAt: [0, 0, 0] });
  const above = world.addCamera({ position: [0.1, 6, 0.1], lookAt: [0, 0, 0] });
  const hall = world.addCamera({ position: [2, 1, 4], lookAt: [0, 0, 0] });

  // Two halves of the canvas show one scene, from one engine.
  engine.addView({ camera: front, rect: { x: 0, y: 0, width: 0.5, height: 1 } });
  engine.addView({ camera: above, rect: { x: 0.5, y: 0, width: 0.5, height: 1 } });

  // A third camera's picture, on a screen that is visible in both halves.
  const picture = renderTexture({ width: 256, height: 256 });
  engine.addView({ camera: hall, target: picture });
  world.addMesh({
    geometry: boxGeometry({ size: [0.9, 0.9, 0.05] }),
    material: unlitMaterial({ baseColorTexture: picture }),
    position: [-0.9, 0.9, -0.6],
  });
}
