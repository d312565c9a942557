// The floating island: a meadow with a worn path, and the rock that hangs underneath. Colours are painted per vertex.
import { fractalNoise, noise } from './random.mjs';
import { faceted, grid } from './shapes.mjs';

export const ISLAND_RADIUS = 2;

const mix = (a, b, t) => a.map((value, i) => value + (b[i] - value) * t);
const smoothstep = (low, high, value) => {
  const t = Math.max(0, Math.min(1, (value - low) / (high - low)));
  return t * t * (3 - 2 * t);
};

/** Returns the distance of the coast from the middle in a direction, in metres. */
export function coastDistance(angle) {
  const [x, z] = [Math.cos(angle), Math.sin(angle)];
  return ISLAND_RADIUS * (1 + 0.11 * noise(x * 1.7 + 3, z * 1.7, 5) + 0.05 * noise(x * 5, z * 5, 8));
}

/** Returns the x of the path's middle at a z. The path runs through the gap in the fence. */
export function pathCentre(z) {
  return 0.62 + 0.22 * Math.sin(z * 1.5 + 0.4) - 0.05 * z;
}

/** Returns 0 on the meadow to 1 in the middle of the path. */
export function pathAmount(x, z) {
  return 1 - smoothstep(0.1, 0.3, Math.abs(x - pathCentre(z)) + 0.06 * noise(x * 6, z * 6, 2));
}

/** Returns the height of the meadow in metres. */
export function groundHeight(x, z) {
  const hill = 0.26 * Math.exp(-((x + 0.85) ** 2 + (z + 0.75) ** 2) / 0.9);
  return hill + 0.07 * fractalNoise(x * 0.9, z * 0.9, 1, 3) - 0.035 * pathAmount(x, z);
}

const colors = {
  moss: [0.08, 0.24, 0.05],
  meadow: [0.2, 0.42, 0.06],
  dry: [0.5, 0.46, 0.1],
  path: [0.42, 0.3, 0.19],
  soil: [0.3, 0.15, 0.09],
  stone: [0.4, 0.31, 0.34],
  deep: [0.24, 0.17, 0.26],
};

function groundColor(x, z) {
  const patches = 0.5 + fractalNoise(x * 1.5, z * 1.5, 6, 3);
  const speckle = 0.5 + 0.5 * noise(x * 11, z * 11, 4);
  const meadow = mix(
    mix(colors.moss, colors.meadow, patches),
    colors.dry,
    0.55 * smoothstep(0.55, 0.9, patches) * speckle,
  );
  return mix(meadow, mix(colors.path, [0.5, 0.38, 0.26], speckle * 0.6), pathAmount(x, z) * 0.92);
}

export function makeIsland() {
  const segments = 56;
  const rings = 19;
  const ground = grid(segments, rings, (u, v) => {
    const angle = -u * 2 * Math.PI;
    const distance = coastDistance(angle) * v ** 0.85;
    const [x, z] = [Math.cos(angle) * distance, Math.sin(angle) * distance];
    const edge = smoothstep(0.93, 1, v);
    return {
      position: [x, groundHeight(x, z) - 0.06 * edge, z],
      color: mix(groundColor(x, z), colors.soil, edge * 0.5),
    };
  });
  const layers = 7;
  const underside = grid(32, layers, (u, v) => {
    const angle = -u * 2 * Math.PI;
    const coast = coastDistance(angle);
    const [dx, dz] = [Math.cos(angle), Math.sin(angle)];
    // A rim of soil, then rock that narrows to a few hanging tips.
    const narrowing = v < 0.12 ? 1 + 0.1 * v : (1 - (v - 0.12) / 0.88) ** 0.72;
    const ragged = 1 + (v > 0 ? 0.2 : 0) * noise(dx * 3.1, dz * 3.1, v * 5);
    const distance = v === 1 ? 0 : coast * narrowing * ragged;
    const drop = 0.07 + v * 1.9 * (0.82 + 0.3 * noise(dx * 1.5 + 9, dz * 1.5, 3) * (1 - v));
    const [x, z] = [dx * distance, dz * distance];
    const top = groundHeight(dx * coast, dz * coast);
    const band = 0.5 + 0.5 * noise(dx * 2, dz * 2, v * 9);
    const rock = mix(colors.stone, colors.deep, Math.min(1, v * 0.9) * 0.6 + 0.4 * band);
    return {
      position: [x, top * (1 - v) - drop + (v === 0 ? 0.01 : 0), z],
      color: v < 0.1 ? colors.soil : mix(colors.soil, rock, smoothstep(0.1, 0.35, v)),
    };
  });
  return { ground, underside: faceted(underside) };
}
