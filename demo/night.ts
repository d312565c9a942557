/** The effects of the island at night: glow, shaded corners of things, ground fog and smooth edges. */
import type { Engine } from '../src/index.js';
import { effectsFromAddress } from './page-options.js';

/** Returns whether the effects are on at first. A software adapter needs seconds for them, so they are off there. */
export async function hasNightAtFirst(): Promise<boolean> {
  const wanted = effectsFromAddress();
  if (wanted !== undefined) return wanted;
  const adapter = await navigator.gpu?.requestAdapter();
  return adapter !== null && adapter !== undefined && !isSoftware(adapter.info);
}

export function setNight(engine: Engine, isOn: boolean): void {
  engine.antialias = isOn ? 'taa' : true;
  engine.effects.bloom = isOn && { amount: 0.25, radius: 0.65, threshold: 1 };
  engine.effects.ambientOcclusion = isOn && { radius: 0.35, power: 1.4 };
  engine.effects.fog = isOn && {
    density: 0.02,
    color: [0.07, 0.035, 0.08],
    height: -1.5,
    heightFalloff: 0.5,
  };
}

function isSoftware({ isFallbackAdapter, architecture, vendor }: GPUAdapterInfo): boolean {
  return isFallbackAdapter || /swiftshader|llvmpipe|lavapipe/i.test(`${vendor} ${architecture}`);
}
