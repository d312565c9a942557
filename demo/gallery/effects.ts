import { type Engine, sphereGeometry, standardMaterial } from '../../src/index.js';

export default async function build(engine: Engine): Promise<void> {
  const { world } = engine;
  await world.setEnvironment('studio', { background: true, backgroundBlur: 0.4 });
  const geometry = sphereGeometry({ radius: 0.6 });
  const colors = ['#c8553d', '#e6b655', '#5f9e6e', '#3d7ea6', '#7d5ba6'];
  for (const [index, baseColor] of colors.entries()) {
    world.addMesh({
      geometry,
      material: standardMaterial({ baseColor, metallic: index / 4, roughness: 0.25 }),
      position: [1.5 * (index - 2), 0, 0],
    });
  }
  const camera = world.addCamera({ position: [-4, 3, 9], lookAt: [0, 0, 0] });
  world.addCamera({ position: [0, 1.2, 14], lookAt: [0, 0, 0], fovY: 0.6 });
  // Every view without its own setting shows this effect.
  engine.effects.vignette = { amount: 0.85, radius: 0.25 };

  // This view becomes paler towards the corners instead of darker.
  const rect = { x: 0.66, y: 0.64, width: 0.3, height: 0.3 };
  engine.addView({ camera, rect, effects: { vignette: { amount: 1, color: '#fff4e0', softness: 0.7 } } });
}
