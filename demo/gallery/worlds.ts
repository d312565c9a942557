import { boxGeometry, type Engine, sphereGeometry, spin, standardMaterial } from '../../src/index.js';

export default async function build(engine: Engine): Promise<void> {
  // The world on the canvas: a day outside.
  const day = engine.world;
  day.addCamera({ position: [0, 1.5, 6], lookAt: [0, 0, 0] });
  await day.setEnvironment('sky', { background: true, intensity: 0.6 });
  const steel = standardMaterial({ metallic: 1, roughness: 0.15 });
  const ball = day.addMesh({ geometry: sphereGeometry({ radius: 1.2 }), material: steel });
  ball.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 0.4 });

  // Another world in a corner, with its own light and its own time.
  const night = await engine.createWorld({ name: 'night' });
  const camera = night.addCamera({ position: [0, 1, 4], lookAt: [0, 0, 0] });
  night.setAmbient('#40609f', 1);
  const clay = standardMaterial({ baseColor: '#e8b88a', roughness: 0.6 });
  const lamp = night.addPointLight({ color: '#ffb46b', intensity: 150, position: [0, 1.5, 2] });
  const cube = night.addMesh({ geometry: boxGeometry({ size: 1.2 }), material: clay });
  cube.motion = spin({ axis: [0.3, 1, 0], radiansPerSecond: 0.8 });
  night.onTick((_, seconds) => {
    lamp.position.x = 2 * Math.sin(seconds);
  });
  engine.addView({ camera, rect: { x: 0.6, y: 0.55, width: 0.36, height: 0.4 } });

  // A click pauses the night's time, and the next click resumes it.
  cube.addEventListener('click', () => {
    night.paused = !night.paused;
  });
}
