/**
 * The table by which the sample renderer dims layers below a sheen: the albedo of the fibres. The renderer's package
 * lacks it, so it is integrated here, from the distribution and the masking that the renderer's shader uses.
 */
import { PNG } from 'pngjs';

const SIZE = 32;
const STEPS = 48;

function curve(x: number, alpha: number): number {
  const share = (1 - alpha) ** 2;
  const mix = (from: number, to: number): number => from + (to - from) * share;
  const [a, b, c] = [mix(21.5473, 25.3245), mix(3.82987, 3.32435), mix(0.19823, 0.16801)];
  return a / (1 + b * x ** c) + mix(-1.9776, -1.27393) * x + mix(-4.32054, -4.85967);
}

const shadow = (cosine: number, alpha: number): number =>
  Math.exp(cosine < 0.5 ? curve(cosine, alpha) : 2 * curve(0.5, alpha) - curve(1 - cosine, alpha));

/** Returns the share of light from a direction that fibres reflect. @param cosine of the angle to the normal */
function albedo(cosine: number, roughness: number): number {
  const alpha = roughness ** 2;
  const sine = Math.sqrt(1 - cosine ** 2);
  let sum = 0;
  for (let step = 0; step < STEPS; step++) {
    const up = (step + 0.5) / STEPS;
    const across = Math.sqrt(1 - up ** 2);
    for (let turn = 0; turn < STEPS; turn++) {
      const around = ((turn + 0.5) / STEPS) * Math.PI;
      const along = across * Math.cos(around) + sine;
      const length = Math.hypot(along, across * Math.sin(around), up + cosine);
      const sineSquared = Math.max(1 - ((up + cosine) / length) ** 2, 0);
      const distribution = ((2 + 1 / alpha) * sineSquared ** (0.5 / alpha)) / (2 * Math.PI);
      const visibility = 1 / ((1 + shadow(cosine, alpha) + shadow(up, alpha)) * 4 * cosine * up);
      sum += distribution * Math.min(visibility, 1) * up;
    }
  }
  return (sum / STEPS ** 2) * 2 * Math.PI;
}

/** Returns the table as a PNG: columns are cosines, rows are roughness, each from 0 to 1. */
export function sheenTable(): Buffer {
  const png = new PNG({ width: SIZE, height: SIZE });
  for (let row = 0; row < SIZE; row++) {
    for (let column = 0; column < SIZE; column++) {
      const value = albedo((column + 0.5) / SIZE, (row + 0.5) / SIZE);
      const grey = Math.round(Math.min(value, 1) * 255);
      png.data.set([grey, grey, grey, 255], (row * SIZE + column) * 4);
    }
  }
  return PNG.sync.write(png);
}
