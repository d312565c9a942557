/**
 * The background of a scene: an unlit dome whose vertex colours show a sky, and stars. The background lights nothing.
 */
import { type Actor, geometry, unlitMaterial, type World } from '../src/index.js';

/** Sky colours (linear) by height, from −1 (straight down) to 1 (straight up), in ascending order. */
export type SkyStops = readonly (readonly [height: number, red: number, green: number, blue: number])[];

export const DUSK: SkyStops = [
  [-1, 0.008, 0.006, 0.022],
  [-0.62, 0.02, 0.013, 0.05],
  [-0.4, 0.075, 0.035, 0.1],
  [-0.24, 0.2, 0.075, 0.12],
  [-0.08, 0.11, 0.05, 0.135],
  [0.16, 0.034, 0.025, 0.096],
  [0.5, 0.013, 0.012, 0.05],
  [1, 0.007, 0.007, 0.03],
];

export const STUDIO: SkyStops = [
  [-1, 0.01, 0.011, 0.016],
  [-0.2, 0.028, 0.029, 0.042],
  [0.05, 0.075, 0.076, 0.1],
  [0.5, 0.03, 0.032, 0.05],
  [1, 0.012, 0.013, 0.022],
];

/** The dome encloses all lights, so its shadow would cover everything. */
const WITHOUT_SHADOWS = { castShadow: false, receiveShadow: false } as const;

const COLUMNS = 48;
const ROWS = 40;

export interface BackdropOptions {
  readonly sky: SkyStops;
  /** Radius of the dome in metres, well beyond the farthest position of the camera. */
  readonly radius: number;
  readonly center?: readonly [number, number, number];
  readonly stars?: number;
}

/** Adds the backdrop and returns its actors. */
export function addBackdrop(
  world: World,
  { sky, radius, center = [0, 0, 0], stars = 0 }: BackdropOptions,
): Actor[] {
  const material = unlitMaterial({ name: 'sky', doubleSided: true });
  const actors: Actor[] = [
    world.addMesh({
      geometry: domeGeometry(sky),
      material,
      position: center,
      scale: radius,
      ...WITHOUT_SHADOWS,
    }),
  ];
  if (stars > 0) {
    actors.push(
      world.addMesh({
        geometry: starGeometry(stars),
        material,
        position: center,
        scale: radius * 0.96,
        ...WITHOUT_SHADOWS,
      }),
    );
  }
  return actors;
}

function domeGeometry(sky: SkyStops) {
  const positions: number[] = [];
  const normals: number[] = [];
  const colors: number[] = [];
  const indices: number[] = [];
  for (let row = 0; row <= ROWS; row++) {
    const polar = (row / ROWS) * Math.PI;
    const height = Math.cos(polar);
    for (let column = 0; column <= COLUMNS; column++) {
      const angle = (column / COLUMNS) * 2 * Math.PI;
      positions.push(Math.sin(polar) * Math.cos(angle), height, Math.sin(polar) * Math.sin(angle));
      normals.push(0, 1, 0);
      colors.push(...skyColor(sky, height));
    }
  }
  for (let row = 0; row < ROWS; row++) {
    for (let column = 0; column < COLUMNS; column++) {
      const first = row * (COLUMNS + 1) + column;
      const below = first + COLUMNS + 1;
      indices.push(first, first + 1, below, first + 1, below + 1, below);
    }
  }
  return geometry({ positions, normals, colors, indices, name: 'sky dome' });
}

function skyColor(sky: SkyStops, height: number): [number, number, number] {
  let index = 0;
  while (index < sky.length - 2 && height > (sky[index + 1]?.[0] ?? 1)) index++;
  const [low, ...from] = sky[index] ?? [0, 0, 0, 0];
  const [high, ...to] = sky[index + 1] ?? [1, 0, 0, 0];
  const t = Math.min(1, Math.max(0, (height - low) / (high - low)));
  const smooth = t * t * (3 - 2 * t);
  return [0, 1, 2].map((channel) => {
    const begin = from[channel] ?? 0;
    return begin + ((to[channel] ?? 0) - begin) * smooth;
  }) as [number, number, number];
}

/** Returns small rhombuses on the unit sphere that face its middle. Each call returns the same stars. */
function starGeometry(count: number) {
  const positions: number[] = [];
  const normals: number[] = [];
  const colors: number[] = [];
  const indices: number[] = [];
  let state = 12345;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
  for (let star = 0; star < count; star++) {
    const y = random() * 1.5 - 0.5;
    const height = Math.min(1, y);
    const ring = Math.sqrt(1 - height * height);
    const angle = random() * 2 * Math.PI;
    const out = [ring * Math.cos(angle), height, ring * Math.sin(angle)] as const;
    const side = [-Math.sin(angle), 0, Math.cos(angle)] as const;
    const up = [-height * Math.cos(angle), ring, -height * Math.sin(angle)] as const;
    const size = 0.0007 + 0.0014 * random() ** 5;
    // Stars are never darker than the sky behind them.
    const brightness = 0.28 + 0.7 * random() ** 4;
    const warmth = random();
    const first = positions.length / 3;
    for (const [a, b] of [
      [0, 1.4],
      [-1, 0],
      [0, -1.4],
      [1, 0],
    ] as const) {
      for (let axis = 0; axis < 3; axis++) {
        positions.push((out[axis] ?? 0) + ((side[axis] ?? 0) * a + (up[axis] ?? 0) * b) * size);
      }
      normals.push(0, 1, 0);
      colors.push(brightness * (0.75 + 0.25 * warmth), brightness * 0.85, brightness * (1.05 - 0.3 * warmth));
    }
    indices.push(first, first + 1, first + 2, first, first + 2, first + 3);
  }
  return geometry({ positions, normals, colors, indices, name: 'stars' });
}
