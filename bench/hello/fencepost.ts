import { boxGeometry, createEngine, standardMaterial } from '../../src/index.js';

export const engine = await createEngine(document.querySelector('canvas') as HTMLCanvasElement);
const { world } = engine;
world.addCamera({ position: [3, 2, 4], lookAt: [0, 0, 0] });
world.addDirectionalLight({ direction: [-1, -2, -1.5], intensity: 3 });
const cube = world.addMesh({
  geometry: boxGeometry(),
  material: standardMaterial({ baseColor: '#ff7a1a' }),
});
world.onTick((deltaSeconds) => cube.rotateY(deltaSeconds));
engine.start();
