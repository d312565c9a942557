import {
  boxGeometry,
  type Engine,
  planeGeometry,
  sphereGeometry,
  standardMaterial,
  texture,
  unlitMaterial,
} from '../../src/index.js';

export default async function build(engine: Engine): Promise<void> {
  const { world } = engine;
  await world.setEnvironment('studio', { intensity: 0.7 });
  const floor = standardMaterial({ baseColor: '#575b66', roughness: 0.5 });
  world.addMesh({ geometry: planeGeometry({ size: 20, facing: 'y' }), material: floor });
  for (const [index, baseColor] of ['#c8553d', '#e6b655', '#5f9e6e', '#3d7ea6'].entries()) {
    const geometry = index % 2 ? sphereGeometry({ radius: 0.5 }) : boxGeometry({ size: 0.9 });
    const material = standardMaterial({ baseColor, roughness: 0.25 });
    world.addMesh({ geometry, material, position: [(index - 1.5) * 1.3, 0.5, 0] });
  }
  world.addCamera({ position: [2.6, 0.5, 1.6], lookAt: [-0.4, 0.45, 0], fovY: 0.7 });
  await engine.whenReady();
  const picture = await engine.captureFrame({ width: 800, height: 400, samples: 8 });

  // The wall shows the picture that the first camera has taken.
  const poster = unlitMaterial({ baseColorTexture: texture(picture) });
  world.addMesh({
    geometry: planeGeometry(),
    material: poster,
    position: [0, 1.9, -2],
    scale: [4.4, 2.2, 1],
  });
  world.activeCamera = world.addCamera({ position: [0, 1.6, 6], lookAt: [0, 1.1, 0], fovY: 0.65 });
}
