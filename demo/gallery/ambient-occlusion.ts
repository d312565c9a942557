import {
  boxGeometry,
  type Engine,
  planeGeometry,
  sphereGeometry,
  standardMaterial,
} from '../../src/index.js';

export default async function build(engine: Engine): Promise<void> {
  const { world } = engine;
  const camera = world.addCamera({ position: [0, 3.2, 7], lookAt: [0, 0.7, 0], fovY: 0.6 });
  world.setAmbient({ sky: '#eef4ff', ground: '#b09a80' }, 2.8);
  const plaster = standardMaterial({ baseColor: '#d6cfc2', roughness: 0.9 });
  world.addMesh({ geometry: planeGeometry({ size: 40, facing: 'y' }), material: plaster });
  // A wall of bricks, each a little in front of or behind its neighbours.
  const bricks = world.addInstances({
    geometry: boxGeometry({ size: [0.48, 0.23, 0.5] }),
    material: plaster,
    count: 112,
  });
  for (let index = 0; index < bricks.count; index++) {
    const row = Math.floor(index / 14);
    const x = ((index % 14) - 6.5) * 0.5 + (row % 2) * 0.25;
    bricks.positions.set([x, row * 0.25 + 0.125, -1.4 + 0.12 * Math.sin(index * 12.9)], index * 3);
  }
  bricks.touch();
  const ball = sphereGeometry({ radius: 0.35, segments: 48 });
  for (const [index, baseColor] of ['#c8553d', '#e6b655', '#5f9e6e', '#3d7ea6', '#7d5ba6'].entries()) {
    const material = standardMaterial({ baseColor, roughness: 0.5 });
    world.addMesh({ geometry: ball, material, position: [(index - 2) * 0.72, 0.35, -0.6] });
  }
  engine.effects.ambientOcclusion = { radius: 0.6, quality: 3 };
  const rect = { x: 0.03, y: 0.04, width: 0.3, height: 0.3 };
  engine.addView({ camera, rect, effects: { ambientOcclusion: false } });
}
