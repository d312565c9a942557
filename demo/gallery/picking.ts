import { type Engine, planeGeometry, standardMaterial, torusGeometry } from '../../src/index.js';

export default async function build(engine: Engine): Promise<void> {
  const { world } = engine;
  world.addCamera({ position: [0, 5, 7], lookAt: [0, 0, 0.3] });
  await world.setEnvironment('studio', { intensity: 0.4 });
  world.addDirectionalLight({ intensity: 2, direction: [-1, -2, -1], castShadow: true });
  world.addMesh({
    geometry: planeGeometry({ size: 9 }),
    material: standardMaterial({ baseColor: '#3a3360', roughness: 0.8 }),
    rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2],
  });
  const message = await world.addText({ text: 'Click a ring', size: 28, position: [0, 0.3, 3.9] });
  // Visible meshes receive pointer events like elements of a page. Events pass through the hole of a ring.
  for (let index = 0; index < 9; index++) {
    const material = standardMaterial({ baseColor: '#ff9a4d', roughness: 0.35 });
    const ring = world.addMesh({
      geometry: torusGeometry({ radius: 0.55, tube: 0.2 }),
      material,
      position: [((index % 3) - 1) * 2, 0.8, (Math.floor(index / 3) - 1) * 2],
      name: `Ring ${index + 1}`,
    });
    ring.addEventListener('pointerenter', () => {
      material.emissive = '#6a3000';
    });
    ring.addEventListener('pointerleave', () => {
      material.emissive = '#000';
    });
    ring.addEventListener('click', ({ hit }) => {
      const place = hit?.position.map((metres) => Math.round(metres * 10) / 10);
      message.root.text = `${ring.name}, at ${place?.join(', ')}`;
      material.baseColor = '#7ad0ff';
    });
  }
}
