import {
  type Actor,
  boxGeometry,
  type Engine,
  planeGeometry,
  sphereGeometry,
  standardMaterial,
} from '../../src/index.js';

export default async function build(engine: Engine): Promise<void> {
  const { world } = engine;
  world.addCamera({ position: [0, 2.4, 6.5], lookAt: [0, 0.6, 0], fovY: 0.6 });
  world.addDirectionalLight({ direction: [-1, -2, -1.5], intensity: 3, castShadow: true });
  world.setAmbient('#dfe8ff', 1);
  const floor = standardMaterial({ baseColor: '#6d7480', roughness: 0.9 });
  world.addMesh({ geometry: planeGeometry({ size: 30, facing: 'y' }), material: floor });
  const things: Actor[] = [];
  for (const [index, baseColor] of ['#c8553d', '#e6b655', '#5f9e6e', '#3d7ea6', '#8a6db1'].entries()) {
    const geometry = index % 2 ? sphereGeometry({ radius: 0.5 }) : boxGeometry({ size: 0.9 });
    const material = standardMaterial({ baseColor, roughness: 0.5 });
    const position = [(index - 2) * 1.15, 0.5, index % 2 ? -0.7 : 0.3] as const;
    const thing = world.addMesh({ geometry, material, position });
    thing.rotateY(index * 0.4);
    thing.addEventListener('click', () => {
      engine.effects.outline = { actors: [thing], color: '#ffd23f', width: 4, throughThings: true };
    });
    things.push(thing);
  }
  engine.effects.outline = { actors: things.slice(1, 3), color: '#ffd23f', width: 4, throughThings: true };
}
