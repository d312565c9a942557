import { GpuLight } from '../buffers/gpu-layouts.js';
import type { LightStore } from '../lights/light-store.js';
import type { ViewAxes } from './view-axes.js';

const at = GpuLight.at;

/**
 * The smallest sphere around the part of the world that a light with a range reaches, in the axes of a view.
 */
export class LightSphere {
  /** The sphere's centre, in metres along the axes of the view. */
  x = 0;
  y = 0;
  depth = 0;
  radius = 0;

  /** Computes the sphere. @param light index of the light among the packed lights */
  enclose({ packed }: LightStore, light: number, axes: ViewAxes): void {
    const from = light * GpuLight.words;
    const range = packed[from + at.range] as number;
    const coneScale = packed[from + at.coneScale] as number;
    // A point light has a scale of 0 and needs the whole sphere.
    const cosine = coneScale > 0 ? -(packed[from + at.coneOffset] as number) / coneScale : -1;
    let radius = range;
    let shift = 0;
    if (cosine > Math.SQRT1_2) {
      // A sphere through the tip of a narrow cone and the edge of its cap.
      radius = shift = range / (2 * cosine);
    } else if (cosine >= 0) {
      radius = range * Math.sqrt(1 - cosine * cosine);
      shift = range * cosine;
    }
    const direction = from + at.direction;
    const position = from + at.position;
    axes.place(
      (packed[position] as number) + (packed[direction] as number) * shift,
      (packed[position + 1] as number) + (packed[direction + 1] as number) * shift,
      (packed[position + 2] as number) + (packed[direction + 2] as number) * shift,
      this,
    );
    this.radius = radius;
  }
}
