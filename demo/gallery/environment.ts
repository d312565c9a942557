import { type Engine, sphereGeometry, standardMaterial } from '../../src/index.js';

export default async function build({ world }: Engine): Promise<void> {
  world.addCamera({ position: [0, 0.6, 12], lookAt: [0, 0, 0], fovY: 0.6 });
  await world.setEnvironment('sky', { background: true });
  const geometry = sphereGeometry({ radius: 0.42, segments: 32 });
  for (let row = 0; row < 3; row++) {
    for (let column = 0; column < 6; column++) {
      const baseColor = ['#f4c95d', '#e8e8ec', '#4a7fd0'][row];
      const material = standardMaterial({ baseColor, metallic: row === 2 ? 0 : 1, roughness: column / 5 });
      world.addMesh({ geometry, material, position: [column - 2.5, 1 - row, 0] });
    }
  }
}
