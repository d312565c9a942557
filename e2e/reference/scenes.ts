/**
 * The scenes of the reference pictures: a feature of the picture each, through the public API, on a canvas of 96 × 96. A scene
 * has to look different, by much more than `compare-with-reference.ts` allows, when its feature is taken out or made wrongly.
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

/** By the name of the picture's file. */
export const REFERENCE_SCENES: Readonly<Record<string, ReferenceScene>> = {
  ...LIGHT_SCENES,
  ...SHADOW_SCENES,
  ...ENVIRONMENT_SCENES,
  ...PASS_SCENES,
  ...CONTENT_SCENES,
};
