import { boxGeometry, type Engine, planeGeometry, standardMaterial } from '../../src/index.js';

export default async function build(engine: Engine): Promise<void> {
  const { world } = engine;
  engine.toneMapping = 'agx';
  engine.exposure = 2;
  world.addCamera({ position: [18, 5, 22], lookAt: [-4, 5, -4], fovY: 0.9 });
  const sun = world.addDirectionalLight({ castShadow: { softness: 0.005 } });
  world.setSky({
    latitude: 52.52,
    longitude: 13.4,
    date: Date.UTC(2026, 5, 21, 18, 20),
    turbidity: 3,
    groundAlbedo: '#8a8474',
    light: sun,
  });
  const ground = standardMaterial({ baseColor: '#8a8474', roughness: 0.95 });
  world.addMesh({ geometry: planeGeometry({ size: 2000, facing: 'y' }), material: ground });
  const colors = ['#c9a27e', '#b9705a', '#d8cfc0', '#8f9ba3'];
  for (let index = 0; index < 24; index++) {
    const height = 3 + ((index * 7) % 11);
    world.addMesh({
      geometry: boxGeometry({ size: [3.2, height, 3.2] }),
      material: standardMaterial({ baseColor: colors[index % 4] as string, roughness: 0.8 }),
      position: [(index % 6) * 5 - 14, height / 2, Math.floor(index / 6) * -5 + 4],
    });
  }
}
