/** Environments: computed, from a generated file, blended, and shown behind the scene. */
import { hdrBytes } from '../hdr-file.js';
import type { ReferenceScene } from './scenes.js';
import { addSpheres } from './things.js';

/** Returns a dusk sky: an orange sun in the west, a blue sky, dark ground, a bright window in the east. */
function duskFile(): ArrayBuffer {
  return hdrBytes(64, 32, (x, y) => {
    const sun = Math.exp(-((x - 16) ** 2 + (y - 12) ** 2) / 8) * 12;
    const window = x > 44 && x < 52 && y > 8 && y < 15 ? 3 : 0;
    const [red, green, blue] = y < 16 ? [0.2, 0.3, 0.6] : [0.1, 0.07, 0.04];
    return [red + sun + window, green + sun * 0.5 + window, blue + sun * 0.2 + window];
  }).buffer;
}

export const ENVIRONMENT_SCENES: Readonly<Record<string, ReferenceScene>> = {
  'environment-studio': {
    async build(engine) {
      addSpheres(engine);
      await engine.world.setEnvironment('studio');
    },
  },
  'environment-sky': {
    async build(engine) {
      addSpheres(engine);
      await engine.world.setEnvironment('sky', { background: true, sunDirection: [-1, -0.6, -0.5] });
    },
  },
  'environment-hdr': {
    async build(engine) {
      addSpheres(engine);
      await engine.world.setEnvironment(duskFile(), { background: true, backgroundBlur: 0.3, rotation: 1 });
    },
  },
  'environment-blend': {
    async build(engine) {
      addSpheres(engine);
      const sources = [
        { source: duskFile(), weight: 0.5 },
        { source: 'studio' as const, weight: 0.5 },
      ];
      await engine.world.setEnvironment(sources, { background: true, intensity: 0.6 });
    },
  },
};
