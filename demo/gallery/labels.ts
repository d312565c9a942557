import { coneGeometry, type Engine, orbit, planeGeometry, standardMaterial } from '../../src/index.js';

export default async function build(engine: Engine): Promise<void> {
  const { world } = engine;
  world.addCamera({ position: [0, 3.8, 9], lookAt: [0, 0.5, 0], fovY: 0.7 });
  await world.setEnvironment('studio', { intensity: 0.5 });
  world.addMesh({
    geometry: planeGeometry({ size: 8 }),
    material: standardMaterial({ baseColor: '#5f6f52', roughness: 0.9 }),
    rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2],
  });
  const places = ['North', 'East', 'South', 'West'];
  for (const [index, name] of places.entries()) {
    const angle = (index / places.length) * 2 * Math.PI;
    const peak = world.addMesh({
      geometry: coneGeometry({ radius: 0.5, height: 1.4 }),
      material: standardMaterial({ baseColor: '#b99470' }),
      position: [2 * Math.sin(angle), 0.7, -2 * Math.cos(angle)],
    });
    peak.motion = orbit({ radiansPerSecond: 0.3 });
    // An element of the page, placed over the actor in every frame.
    const label = document.createElement('div');
    label.textContent = name;
    label.style.cssText = 'padding: 2px 10px; border-radius: 99px; background: #000a; color: #fff';
    await engine.attachElement(label, peak, { offset: [0, 1, 0], occlude: true });
  }
}
