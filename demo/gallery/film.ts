import {
  boxGeometry,
  type Engine,
  parseCube,
  planeGeometry,
  sphereGeometry,
  standardMaterial,
} from '../../src/index.js';

/** A table with faded blacks and a warm white, as an old film has. */
const FADED = `LUT_1D_SIZE 3
0.09 0.07 0.10
0.56 0.50 0.44
1.00 0.95 0.82`;

export default async function build(engine: Engine): Promise<void> {
  const { world } = engine;
  const camera = world.addCamera({ position: [0, 1.4, 7], lookAt: [0, 0.8, 0], fovY: 0.7 });
  await world.setEnvironment('sky', { background: true, backgroundBlur: 0.3 });
  world.addDirectionalLight({ direction: [-1, -2, -1], intensity: 2, castShadow: true });
  const floor = standardMaterial({ baseColor: '#8d8577', roughness: 0.9 });
  world.addMesh({ geometry: planeGeometry({ size: 40, facing: 'y' }), material: floor });
  const colors = ['#c8553d', '#e6b655', '#5f9e6e', '#3d7ea6', '#7d5ba6'];
  for (const [index, baseColor] of colors.entries()) {
    const geometry = index % 2 ? sphereGeometry({ radius: 0.6 }) : boxGeometry({ size: 1 });
    const material = standardMaterial({ baseColor, roughness: 0.4 });
    world.addMesh({ geometry, material, position: [(index - 2) * 1.5, 0.6, 0] });
  }
  engine.toneMapping = 'agx';
  const half = { y: 0, width: 0.5, height: 1 };
  engine.addView({ camera, rect: { x: 0, ...half } });
  engine.addView({
    camera,
    rect: { x: 0.5, ...half },
    effects: {
      colorGrading: { table: parseCube(FADED, 'faded'), contrast: 1.1, temperature: 0.25 },
      vignette: { amount: 0.5 },
      chromaticAberration: { amount: 0.012 },
      grain: { amount: 0.12, size: 2 },
    },
  });
}
