import {
  boxGeometry,
  type Engine,
  planeGeometry,
  sphereGeometry,
  standardMaterial,
} from '../../src/index.js';

export default async function build(engine: Engine): Promise<void> {
  const { world } = engine;
  const camera = world.addCamera({ position: [0, 1.7, 7], lookAt: [0, 0.8, 0], fovY: 0.7 });
  // A moonlit night, far too dark for an exposure of 1.
  world.addDirectionalLight({
    direction: [-1, -1.5, -1],
    intensity: 0.12,
    color: '#cfe0ff',
    castShadow: true,
  });
  world.setAmbient('#9db4e8', 0.02);
  const floor = standardMaterial({ baseColor: '#8d8577', roughness: 0.9 });
  world.addMesh({ geometry: planeGeometry({ size: 40, facing: 'y' }), material: floor });
  for (const [index, baseColor] of ['#c8553d', '#e6b655', '#5f9e6e', '#3d7ea6'].entries()) {
    const geometry = index % 2 ? sphereGeometry({ radius: 0.7 }) : boxGeometry({ size: 1.2 });
    const material = standardMaterial({ baseColor, roughness: 0.5 });
    world.addMesh({ geometry, material, position: [(index - 1.5) * 1.7, 0.65, 0] });
  }
  engine.toneMapping = 'agx';
  engine.effects.autoExposure = { maximum: 64, compensation: 0.5 };
  const rect = { x: 0.7, y: 0.68, width: 0.28, height: 0.28 };
  engine.addView({ camera, rect, effects: { autoExposure: false } });
}
