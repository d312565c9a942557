/**
 * Lights any model, large or small. The light comes from a studio environment, which metals reflect, a warm key light,
 * a cool rim light from behind and a spot light from above. A disc that fades out lies under the model.
 */
import { geometry, LightComponent, standardMaterial, type World } from '../src/index.js';

const SEGMENTS = 64;
const KEY_LIGHT = 'key light';

export interface StudioOptions {
  readonly center: readonly [number, number, number];
  /** Radius of the model in metres. */
  readonly radius: number;
  /** Height of the model's lowest point, in metres. */
  readonly floor: number;
}

export async function addStudio(world: World, { center, radius, floor }: StudioOptions): Promise<void> {
  await world.setEnvironment('studio', { intensity: 0.4 });
  world.addDirectionalLight({
    direction: [0.55, -0.8, -0.65],
    color: [1, 0.93, 0.84],
    intensity: 2,
    name: KEY_LIGHT,
  });
  world.addDirectionalLight({ direction: [-0.7, -0.35, 0.8], color: [0.6, 0.8, 1], intensity: 1.5 });
  world.addSpotLight({
    position: [center[0] - radius * 1.2, floor + radius * 4, center[2] + radius * 1.2],
    direction: [0.28, -1, -0.28],
    color: [1, 0.95, 0.9],
    // Light falls off with the square of the distance.
    intensity: 8 * radius * radius,
    innerConeAngle: 0.15,
    outerConeAngle: 0.6,
  });
  world.addMesh({
    geometry: fadingDisc(),
    material: standardMaterial({ name: 'floor', baseColor: '#34364a', roughness: 0.6, alphaMode: 'blend' }),
    position: [center[0], floor - radius * 0.003, center[2]],
    castShadow: false,
    scale: radius * 2.6,
  });
}

/** Sets whether a model under the studio's lights casts a shadow. */
export function setKeyShadow(world: World, isOn: boolean): void {
  for (const { name, root } of world.actors) {
    if (name === KEY_LIGHT && root instanceof LightComponent) {
      root.castShadow = isOn && { cascades: 1 };
    }
  }
}

/** Returns a disc of radius 1 whose vertex colours fade from alpha 0.7 in the middle to 0 at the rim. */
function fadingDisc() {
  const positions = [0, 0, 0];
  const normals = [0, 1, 0];
  const colors = [1, 1, 1, 0.7];
  const indices: number[] = [];
  const rings = [0.35, 0.6, 0.8, 1];
  const alphas = [0.55, 0.28, 0.08, 0];
  rings.forEach((ring, row) => {
    for (let segment = 0; segment < SEGMENTS; segment++) {
      const angle = (segment / SEGMENTS) * 2 * Math.PI;
      positions.push(ring * Math.cos(angle), 0, ring * Math.sin(angle));
      normals.push(0, 1, 0);
      colors.push(1, 1, 1, alphas[row] ?? 0);
      const here = 1 + row * SEGMENTS + segment;
      const next = 1 + row * SEGMENTS + ((segment + 1) % SEGMENTS);
      if (row === 0) indices.push(0, next, here);
      else indices.push(here - SEGMENTS, next - SEGMENTS, here, here, next - SEGMENTS, next);
    }
  });
  return geometry({ positions, normals, colors, indices, name: 'fading disc' });
}
