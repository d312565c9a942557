/**
 * The scenes of the reference pictures. Each shows one visual feature through the public API on a canvas of 96 × 96. If
 * the feature is missing or wrong, the picture has to change by much more than `compare-with-reference.ts` allows.
 */
import type { Engine, EngineOptions } from 'fencepost';
import { CONTENT_SCENES } from './content-scenes.js';
import { ENVIRONMENT_SCENES } from './environment-scenes.js';
import { LIGHT_SCENES } from './light-scenes.js';
import { PASS_SCENES } from './pass-scenes.js';
import { SHADOW_SCENES } from './shadow-scenes.js';

export interface ReferenceScene {
  readonly options?: EngineOptions;
  readonly build: (engine: Engine) => unknown;
}

/** The scenes by the name of the picture's file. */
export const REFERENCE_SCENES: Readonly<Record<string, ReferenceScene>> = {
  ...LIGHT_SCENES,
  ...SHADOW_SCENES,
  ...ENVIRONMENT_SCENES,
  ...PASS_SCENES,
  ...CONTENT_SCENES,
};
