import { boxGeometry, type Engine, spin, standardMaterial } from '../../src/index.js';

export default async function build(engine: Engine): Promise<void> {
  const { world } = engine;
  world.addCamera({ position: [3, 3.4, 9], lookAt: [0, 1.2, 0] });
  await world.setEnvironment('studio', { intensity: 0.4 });

  // A path in the air, with the same width everywhere, in pixels of the page.
  const path: number[] = [];
  const stars: number[] = [];
  for (let step = 0; step <= 200; step++) {
    const angle = (step / 200) * 6 * Math.PI;
    path.push(2.4 * Math.cos(angle), step / 80, 2.4 * Math.sin(angle));
    // Points spread evenly over a ball around the scene.
    const up = 1 - step / 100;
    const out = 5 * Math.sqrt(Math.max(0, 1 - up * up));
    stars.push(out * Math.cos(step * 2.4), 5 * up, out * Math.sin(step * 2.4));
  }
  await world.addLines({ positions: path, width: 3, color: '#ff9a4d' });
  await world.addPoints({ positions: stars, size: 4, color: '#b9c4ff' });

  // A text size in pixels is the same at any distance. A text size in metres grows as the camera approaches.
  await world.addText({ text: 'begins here', size: 18, position: [2.4, -0.3, 0] });
  await world.addText({ text: 'ends here', size: 0.4, sizeUnits: 'metres', position: [1.6, 2.8, 0] });

  const box = world.addMesh({
    geometry: boxGeometry({ size: [1, 1.6, 1] }),
    material: standardMaterial({ baseColor: '#5b78d8', roughness: 0.5 }),
    position: [0, 0.8, 0],
  });
  box.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 0.6 });

  // For development: the mesh's box and axes, drawn anew in each frame.
  const debug = await world.addDebugDrawer({ width: 2 });
  world.onTick(() => {
    debug.box(box.bounds, '#7aff9a');
    debug.axes(box, 1.4);
  });
}
