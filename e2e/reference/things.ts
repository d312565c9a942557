/** Parts of the scenes of the reference pictures. */
import {
  type Actor,
  boxGeometry,
  type Engine,
  planeGeometry,
  sphereGeometry,
  standardMaterial,
  type Texture,
  texture,
} from 'fencepost';

/** The rotation that lays a plane on the ground. */
export const LIES_FLAT = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2] as const;

/** Adds a floor, a matte ball and a metal box, seen from above. */
export function addThings({ world }: Engine): { readonly ball: Actor; readonly box: Actor } {
  world.addCamera({ position: [0, 3.2, 5.2], lookAt: [0, 0.65, 0], fovY: 0.72 });
  world.addMesh({
    geometry: planeGeometry({ size: 14 }),
    material: standardMaterial({ baseColor: '#b8b4a8', roughness: 0.8 }),
    rotation: [...LIES_FLAT],
  });
  const ball = world.addMesh({
    geometry: sphereGeometry({ radius: 0.75, segments: 32 }),
    material: standardMaterial({ baseColor: '#d8572a', roughness: 0.4 }),
    position: [-0.95, 0.75, 0],
  });
  const box = world.addMesh({
    geometry: boxGeometry({ size: 1.1 }),
    material: standardMaterial({ baseColor: '#d8b45c', metallic: 0.9, roughness: 0.35 }),
    position: [1.05, 0.55, 0],
    rotation: [0, 0.35, 0, 0.94],
  });
  return { ball, box };
}

/** Adds two rows of metal spheres and a row of plastic spheres below, from smooth to rough. */
export function addSpheres({ world }: Engine): void {
  world.addCamera({ position: [0, 0, 7], fovY: 0.62 });
  const geometry = sphereGeometry({ radius: 0.5, segments: 32 });
  for (let row = 0; row < 3; row++) {
    for (let column = 0; column < 3; column++) {
      world.addMesh({
        geometry,
        material: standardMaterial({
          baseColor: ['#f0c060', '#d0d0d8', '#4a7fd0'][row] ?? '#fff',
          metallic: row < 2 ? 1 : 0,
          roughness: [0.05, 0.35, 0.9][column] ?? 1,
        }),
        position: [(column - 1) * 1.25, (1 - row) * 1.25, 0],
      });
    }
  }
}

/** Returns a texture of 16 × 16 texels. `texel` returns red, green, blue and alpha, 0 to 255, by column and row. */
export function image(
  texel: (x: number, y: number) => readonly number[],
  colorSpace: 'srgb' | 'linear' = 'srgb',
): Texture {
  const data = new Uint8Array(16 * 16 * 4);
  for (let at = 0; at < 256; at++) data.set([...texel(at % 16, at >> 4)], at * 4);
  return texture({ width: 16, height: 16, data }, { colorSpace });
}

/** Returns a texture of squares of 4 × 4 texels. Every other square is transparent. */
export const chequerWithHoles = (): Texture =>
  image((x, y) => [230, 210, 120, ((x >> 2) + (y >> 2)) % 2 === 0 ? 255 : 0]);
