import {
  boxGeometry,
  type Engine,
  keyframes,
  orbit,
  sphereGeometry,
  spin,
  standardMaterial,
} from '../../src/index.js';

export default async function build({ world }: Engine): Promise<void> {
  world.addCamera({ position: [0, 3, 8], lookAt: [0, 0.3, 0], fovY: 0.7 });
  await world.setEnvironment('studio', { intensity: 0.5 });
  // Each motion is declared once. The render thread moves the meshes, even while this page is busy.
  const sun = world.addMesh({
    geometry: sphereGeometry({ radius: 0.7 }),
    material: standardMaterial({ baseColor: '#000', emissive: '#ffb347', emissiveStrength: 3 }),
  });
  sun.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 0.5 });
  const planet = world.addMesh({
    geometry: sphereGeometry({ radius: 0.3 }),
    material: standardMaterial({ baseColor: '#3d7ea6', roughness: 0.4 }),
    position: [2, 0, 0],
  });
  planet.motion = orbit({ radiansPerSecond: 0.8 });
  const ship = world.addMesh({
    geometry: boxGeometry({ size: [0.5, 0.2, 0.2] }),
    material: standardMaterial({ baseColor: '#d84f4f', metallic: 0.6 }),
  });
  ship.motion = keyframes({
    times: [0, 2, 4],
    loop: true,
    positions: [
      [-3, 1, 0],
      [3, 1.5, -1],
      [-3, 1, 0],
    ],
  });
}
