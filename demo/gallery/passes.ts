import { boxGeometry, type Engine, sphereGeometry, spin, standardMaterial } from '../../src/index.js';

export default async function build(engine: Engine): Promise<void> {
  const { world } = engine;
  world.addCamera({ position: [3.5, 2.6, 5.6], lookAt: [0, 0, 0], fovY: 0.6 });
  world.setAmbient('#ffffff', 0.6);
  world.addDirectionalLight({ direction: [-1, -2, -1], intensity: 2 });
  const group = world.addMesh({
    geometry: boxGeometry({ size: 1.2 }),
    material: standardMaterial({ baseColor: '#f2a65a', roughness: 0.8 }),
  });
  group.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 0.6 });
  for (const x of [-1.2, 1.2]) {
    const ball = world.addMesh({
      geometry: sphereGeometry({ radius: 0.4 }),
      material: standardMaterial({ baseColor: '#5b8e7d', roughness: 0.8 }),
      position: [x, 0.3, 0],
    });
    ball.attachTo(group);
  }
  // A module on the render thread adds a pass between the scene and its tone mapping: public/outline.js.
  await engine.addRenderModule(new URL('../outline.js', document.baseURI).href);
}
