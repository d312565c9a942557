/** The kinds of a scene, by the element types that the React tree uses for them. */
import type { Kind } from '../tree/kind.js';
import { directionalLight, group, mesh, pointLight, shadowCatcher, spotLight } from './actors.js';
import { camera } from './camera.js';
import { html } from './html.js';
import { model } from './model.js';
import { orbitControls } from './orbit-controls.js';
import { ambientLight, effects, environment, sky } from './surroundings.js';
import { view } from './view.js';

const ALL = [
  mesh,
  group,
  model,
  directionalLight,
  pointLight,
  spotLight,
  shadowCatcher,
  ambientLight,
  camera,
  orbitControls,
  html,
  environment,
  sky,
  effects,
  view,
] as const;

export const kinds: ReadonlyMap<string, Kind> = new Map(ALL.map((kind) => [kind.name, kind]));
