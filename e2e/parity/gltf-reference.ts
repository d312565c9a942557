// The light that a surface sends to the viewer according to glTF, in doubles: the metallic-roughness model of glTF
// 2.0, Appendix B ("full code"), and KHR_lights_punctual. It is written from the specifications alone and shares
// nothing with the engine's shaders. The masking-shadowing function is the height-correlated one of the current
// Appendix B.
import type { ParityLight, Triple } from './scene.js';

export interface ShadedPoint {
  readonly position: Triple;
  /** Surface normal of unit length. */
  readonly normal: Triple;
  /** Direction to the viewer, of unit length. */
  readonly toViewer: Triple;
  /** Base colour, linear. */
  readonly baseColor: Triple;
  readonly metallic: number;
  readonly roughness: number;
}

export const dot = (a: Triple, b: Triple): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const scaled = (a: Triple, factor: number): Triple => [a[0] * factor, a[1] * factor, a[2] * factor];
export const sum = (a: Triple, b: Triple): Triple => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const difference = (a: Triple, b: Triple): Triple => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const cross = (a: Triple, b: Triple): Triple => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const unit = (a: Triple): Triple => scaled(a, 1 / Math.hypot(...a));
const mix = (a: number, b: number, t: number): number => a + (b - a) * t;
const clamp = (value: number): number => Math.min(1, Math.max(0, value));

/** Returns the light towards the viewer per unit of light from `toLight`, times the cosine (Appendix B.3). */
function reflected(point: ShadedPoint, toLight: Triple): Triple {
  const { normal, toViewer, baseColor, metallic, roughness } = point;
  const nDotL = dot(normal, toLight);
  if (nDotL <= 0) return [0, 0, 0];
  const halfway = unit(sum(toLight, toViewer));
  const nDotV = Math.abs(dot(normal, toViewer));
  const nDotH = dot(normal, halfway);
  const vDotH = dot(toViewer, halfway);
  const squared = roughness ** 4; // α², where α is the square of the roughness
  const d = nDotH > 0 ? squared / (Math.PI * (nDotH * nDotH * (squared - 1) + 1) ** 2) : 0;
  const g =
    (2 * nDotL * nDotV) /
    (nDotV * Math.sqrt(squared + (1 - squared) * nDotL * nDotL) +
      nDotL * Math.sqrt(squared + (1 - squared) * nDotV * nDotV));
  const specular = (d * g) / (4 * nDotV * nDotL);
  const fresnel = (1 - Math.abs(vDotH)) ** 5;
  const channel = (color: number): number => {
    const dielectric = mix(color / Math.PI, specular, 0.04 + (1 - 0.04) * fresnel);
    const metal = specular * (color + (1 - color) * fresnel);
    return mix(dielectric, metal, metallic) * nDotL;
  };
  return [channel(baseColor[0]), channel(baseColor[1]), channel(baseColor[2])];
}

/** Returns the light's strength at the point, and the direction to it (KHR_lights_punctual). */
function arriving(light: ParityLight, position: Triple): { toLight: Triple; strength: number } {
  if (light.kind === 'directional') {
    return { toLight: scaled(light.direction, -1), strength: light.intensity };
  }
  const offset = difference(light.position, position);
  const distance = Math.hypot(...offset);
  const toLight = scaled(offset, 1 / distance);
  let strength = light.intensity / (distance * distance);
  if (light.range > 0) strength *= clamp(1 - (distance / light.range) ** 4);
  if (light.kind === 'spot') {
    const inner = Math.cos(light.innerConeAngle);
    const outer = Math.cos(light.outerConeAngle);
    const cone = clamp((-dot(light.direction, toLight) - outer) / Math.max(0.001, inner - outer));
    strength *= cone * cone;
  }
  return { toLight, strength };
}

/** Returns the linear light towards the viewer. */
export function shade(point: ShadedPoint, lights: readonly ParityLight[]): Triple {
  let total: Triple = [0, 0, 0];
  for (const light of lights) {
    const { toLight, strength } = arriving(light, point.position);
    const [red, green, blue] = scaled(reflected(point, toLight), strength);
    total = sum(total, [red * light.color[0], green * light.color[1], blue * light.color[2]]);
  }
  return total;
}
