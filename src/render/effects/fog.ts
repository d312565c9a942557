import { LightKind } from '../../proxy/commands.js';
import type { EffectValues } from '../../proxy/effects.js';
import { GpuLight, GpuView } from '../buffers/gpu-layouts.js';
import { PassFormat } from '../keys/pass-format.js';
import type { LightStore } from '../lights/light-store.js';
import type { DrawnView } from '../views/drawn-view.js';
import type { Effect, EffectWorld } from './effect.js';

const { at } = GpuView;

/**
 * Fog, which scatters light on its way to the camera (`shaders/fog.wgsl`). The shaders of surfaces and background add
 * it, so each blended surface and each sample of an edge has the fog in front of it, without a pass.
 *
 *   options, background, exposure, brightest directional light ─► uniforms of the view ─► shaders with PassFormat.fog
 */
export class Fog implements Effect<'fog'> {
  readonly passBit = PassFormat.fog;
  #options!: EffectValues<'fog'>;

  setOptions(options: EffectValues<'fog'>): void {
    this.#options = options;
  }

  prepareView({ state }: DrawnView, { scene, sky }: EffectWorld): void {
    const { view, look } = state;
    const { packed, packedWords } = view;
    const { density, height, heightFalloff, start, sunAmount } = this.#options;
    const { color } = this.#options;
    const hasColor = !Number.isNaN(color[0]);
    // The background is shown without exposure.
    const inverseExposure = 1 / Math.max(look.exposure, 1e-6);
    for (let channel = 0; channel < 3; channel++) {
      packed[at.fogColor + channel] = hasColor
        ? (color[channel] as number)
        : (look.linearBackground[channel] as number) * inverseExposure;
    }
    packedWords[at.fogFromEnvironment] = !hasColor && sky ? 1 : 0;
    packed[at.fogDensity] = density;
    packed[at.fogStart] = start;
    packed[at.fogFalloff] = heightFalloff;
    packed[at.fogHeight] = height - (scene.renderOrigin[1] as number);
    writeSun(packed, scene.lights, sunAmount);
  }
}

/** Writes the brightest directional light. @param share share of its light that the fog scatters */
function writeSun(packed: Float32Array, lights: LightStore, share: number): void {
  const source = lights.packed;
  let brightest = 0;
  let from = -1;
  for (let light = 0; share > 0 && light < lights.count; light++) {
    if (lights.kindAt(light) !== LightKind.directional) continue;
    const intensity = light * GpuLight.words + GpuLight.at.intensity;
    const brightness =
      (source[intensity] as number) + (source[intensity + 1] as number) + (source[intensity + 2] as number);
    if (brightness <= brightest) continue;
    brightest = brightness;
    from = light * GpuLight.words;
  }
  for (let axis = 0; axis < 3; axis++) {
    packed[at.fogSunDirection + axis] =
      from < 0 ? 0 : (source[from + GpuLight.at.direction + axis] as number);
    packed[at.fogSunLight + axis] =
      from < 0 ? 0 : share * (source[from + GpuLight.at.intensity + axis] as number);
  }
}
