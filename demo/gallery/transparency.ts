import { boxGeometry, type Engine, planeGeometry, spin, standardMaterial } from '../../src/index.js';

export default async function build(engine: Engine): Promise<void> {
  const { world } = engine;
  world.addCamera({ position: [0, 1.4, 6], lookAt: [0, 0, 0], fovY: 0.7 });
  world.addDirectionalLight({ direction: [-1, -2, -1], intensity: 1.5 });
  world.setAmbient('#fff', 1);
  engine.transparency = 'weighted';
  const bar = boxGeometry({ size: [0.25, 2.6, 0.25] });
  world.addMesh({ geometry: bar, material: standardMaterial({ baseColor: '#f4f1e8' }) });

  // Three turning panes cross each other and the bar.
  const turning = world.addMesh({ geometry: boxGeometry({ size: 0.01 }), material: standardMaterial() });
  turning.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 0.4 });
  const pane = planeGeometry({ width: 3.2, height: 2.2 });
  for (const [index, [red, green, blue]] of (
    [
      [1, 0.1, 0.15],
      [0.1, 0.8, 0.3],
      [0.1, 0.3, 1],
    ] as const
  ).entries()) {
    const material = standardMaterial({
      baseColor: [red, green, blue, 0.5],
      roughness: 0.3,
      doubleSided: true,
    });
    const half = (index * Math.PI) / 6;
    const rotation = [0, Math.sin(half), 0, Math.cos(half)] as const;
    world.addMesh({ geometry: pane, material, rotation }).attachTo(turning);
  }
}
