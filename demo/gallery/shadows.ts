import {
  boxGeometry,
  type Engine,
  planeGeometry,
  sphereGeometry,
  spin,
  standardMaterial,
} from '../../src/index.js';

export default async function build({ world }: Engine): Promise<void> {
  world.addCamera({ position: [5, 4, 7], lookAt: [0, 0.6, 0], fovY: 0.6 });
  world.setAmbient('#8090b0', 0.5);
  world.addDirectionalLight({ direction: [-1, -2, -0.6], intensity: 3, castShadow: { softness: 0.02 } });
  world.addMesh({
    geometry: planeGeometry({ size: 12 }),
    material: standardMaterial({ baseColor: '#d8cfc0', roughness: 0.9 }),
    rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2],
  });
  const material = standardMaterial({ baseColor: '#c8553d', roughness: 0.6 });
  for (let index = 0; index < 7; index++) {
    const angle = (index / 7) * 2 * Math.PI;
    const height = 0.5 + 0.3 * index;
    world.addMesh({
      geometry: boxGeometry({ size: [0.5, height, 0.5] }),
      material,
      position: [2 * Math.cos(angle), height / 2, 2 * Math.sin(angle)],
    });
  }
  const middle = world.addMesh({
    geometry: sphereGeometry({ radius: 0.5 }),
    material: standardMaterial({ baseColor: '#3d7ea6', metallic: 0.3 }),
    position: [0, 1, 0],
  });
  // The render thread turns the ball, without the page's help.
  middle.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 1 });
}
