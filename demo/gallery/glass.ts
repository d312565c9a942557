import {
  boxGeometry,
  type Engine,
  planeGeometry,
  sphereGeometry,
  standardMaterial,
} from '../../src/index.js';

export default async function build({ world }: Engine): Promise<void> {
  world.addCamera({ position: [0, 1, 9], lookAt: [0, 0, 0], fovY: 0.6 });
  await world.setEnvironment('sky', { background: true, backgroundBlur: 0.3 });
  const floor = planeGeometry({ size: 14, facing: 'y' });
  world.addMesh({
    geometry: floor,
    material: standardMaterial({ baseColor: '#d8d2c4' }),
    position: [0, -0.8, 0],
  });
  const column = boxGeometry({ size: [0.3, 2.4, 0.3] });
  for (const [index, baseColor] of ['#c8553d', '#e6b655', '#3d7ea6', '#5f9e6e', '#7d5ba6'].entries()) {
    const material = standardMaterial({ baseColor, roughness: 0.6 });
    world.addMesh({ geometry: column, material, position: [(index - 2) * 1.5, 0.4, -2.5] });
  }
  const ball = sphereGeometry({ radius: 0.75, segments: 48 });
  const solid = { transmission: 1, thickness: 1.5, roughness: 0 };
  const looks = [
    { ...solid, ior: 1.5 },
    { ...solid, ior: 1.3, attenuationColor: '#4fd08a', attenuationDistance: 1.2 },
    { ...solid, ior: 1.8, dispersion: 6 },
    { transmission: 1, roughness: 0.35 },
  ];
  for (const [index, look] of looks.entries()) {
    world.addMesh({
      geometry: ball,
      material: standardMaterial(look),
      position: [(index - 1.5) * 1.8, 0, 0],
    });
  }
  // A pane in front shows the balls, too.
  const pane = standardMaterial({ baseColor: '#ffe0c0', transmission: 1, roughness: 0.05 });
  world.addMesh({
    geometry: boxGeometry({ size: [2.4, 1.6, 0.05] }),
    material: pane,
    position: [-1.2, 0.1, 2],
  });
}
