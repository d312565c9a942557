import {
  boxGeometry,
  type Engine,
  planeGeometry,
  sphereGeometry,
  spin,
  standardMaterial,
} from '../../src/index.js';

export default async function build(engine: Engine): Promise<void> {
  const { world } = engine;
  await world.setEnvironment('sky', { intensity: 0.6 });
  world.addDirectionalLight({ direction: [-1, -2, -1], intensity: 2, castShadow: true });
  const ground = standardMaterial({ baseColor: '#5c6370', roughness: 0.8 });
  world.addMesh({ geometry: planeGeometry({ size: 60, facing: 'y' }), material: ground });
  const colors = ['#c8553d', '#e6b655', '#5f9e6e', '#3d7ea6', '#8a6fb0'];
  for (let index = 0; index < 49; index++) {
    const geometry = index % 3 ? boxGeometry({ size: 0.7 }) : sphereGeometry({ radius: 0.45 });
    const material = standardMaterial({ baseColor: colors[index % 5] ?? '#fff', roughness: 0.3 });
    const position = [((index % 7) - 3) * 1.3, 0.5, -Math.floor(index / 7) * 1.3] as const;
    const thing = world.addMesh({ geometry, material, position });
    thing.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 0.4 });
  }
  const camera = world.addCamera({ position: [0, 2.6, 5.5], lookAt: [0, 0.3, -2], fovY: 0.75 });

  // The scene is drawn with at most all pixels, and with fewer if the GPU needs more than 8 ms.
  engine.resolutionScale = { targetMs: 8, minimum: 0.4, maximum: 1 };

  // A transparent view over others always has the full resolution. It shows the texts, in a layer of their own.
  const text = { text: 'Always sharp', size: 22, color: '#ffffff', layers: 2 };
  await world.addText({ ...text, position: [0, 2.2, -2] });
  engine.addView({ camera, layers: 1 });
  engine.addView({ camera, layers: 2, background: 'transparent' });
}
