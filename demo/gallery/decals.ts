import {
  boxGeometry,
  cylinderGeometry,
  type Engine,
  planeGeometry,
  standardMaterial,
  type Texture,
  texture,
} from '../../src/index.js';

const SIZE = 128;

/** Returns a white picture. @param alphaAt alpha by the place, −1 to 1 along both axes */
function picture(alphaAt: (x: number, y: number) => number): Texture {
  const data = new Uint8Array(SIZE * SIZE * 4).fill(255);
  for (let at = 0; at < SIZE * SIZE; at++) {
    const x = ((at % SIZE) + 0.5) / (SIZE / 2) - 1;
    const y = (Math.floor(at / SIZE) + 0.5) / (SIZE / 2) - 1;
    data[at * 4 + 3] = 255 * Math.min(1, Math.max(0, alphaAt(x, y)));
  }
  return texture({ width: SIZE, height: SIZE, data });
}

export default async function build({ world }: Engine): Promise<void> {
  world.addCamera({ position: [2.5, 2.2, 7], lookAt: [0, 1.1, 0], fovY: 0.7 });
  await world.setEnvironment('studio', { intensity: 0.5 });
  world.addDirectionalLight({ direction: [-1, -2, -1.5], intensity: 2, castShadow: { softness: 0.02 } });
  const floor = standardMaterial({ baseColor: '#8b857b', roughness: 0.35 });
  world.addMesh({ geometry: planeGeometry({ size: 20, facing: 'y' }), material: floor });
  const steel = standardMaterial({ baseColor: '#b9c0c6', metallic: 1, roughness: 0.35 });
  const column = cylinderGeometry({ radius: 0.6, height: 2.6, segments: 64 });
  world.addMesh({ geometry: column, material: steel, position: [-1.6, 1.3, 0] });
  const plaster = standardMaterial({ baseColor: '#d9d2c4', roughness: 0.9 });
  const box = boxGeometry({ size: [1.6, 2, 1.6] });
  world.addMesh({ geometry: box, material: plaster, position: [1.2, 1, -0.3] });

  const rings = picture((x, y) => 8 * Math.sin(Math.hypot(x, y) * 16) * (Math.hypot(x, y) < 0.98 ? 1 : 0));
  world.addDecal({ texture: rings, color: '#c8322b', position: [-1.6, 1.5, 0.6], size: [1, 1, 1] });
  const splash = picture((x, y) => {
    const angle = Math.atan2(y, x);
    return 12 * (0.62 + 0.16 * Math.sin(angle * 7) + 0.1 * Math.sin(angle * 13 + 1) - Math.hypot(x, y));
  });
  world.addDecal({ texture: splash, color: '#2b62c8', position: [1.1, 1.2, 0.5], size: [1.5, 1.5, 0.8] });
  const stripes = picture((x, y) => 10 * Math.sin((x + y) * 14) * (Math.abs(y) < 0.97 ? 1 : 0));
  // This decal faces up: it lies on the floor.
  const floorDecal = world.addDecal({
    texture: stripes,
    color: '#e8b62c',
    position: [0, 0, 1.9],
    size: [4.4, 0.7, 0.4],
  });
  floorDecal.rotateX(-Math.PI / 2);
}
