/**
 * `fencepost/react`: scenes as React components, for React 18 and 19. A `<Scene>` creates an engine and a canvas; the
 * components in it are actors, lights, cameras and the like.
 *
 *   page (react-dom)     <Scene> ── element, canvas, elements of <Html>        page/
 *                           │ children, with the page's contexts
 *   scene (reconciler)   <Mesh>, <Group>, your components, hooks               components.ts, hooks.ts
 *                           │ commits                                          tree/
 *   engine               actors, views, controls, settings                     kinds/
 */
export {
  AmbientLight,
  type AmbientLightProps,
  Camera,
  type CameraProps,
  DirectionalLight,
  type DirectionalLightProps,
  Effects,
  type EffectsProps,
  Environment,
  type EnvironmentProps,
  Group,
  type GroupProps,
  Html,
  type HtmlProps,
  Mesh,
  type MeshProps,
  Model,
  type ModelProps,
  OrbitControls,
  type OrbitControlsProps,
  PointLight,
  type PointLightProps,
  ShadowCatcher,
  type ShadowCatcherProps,
  Sky,
  type SkyProps,
  SpotLight,
  type SpotLightProps,
  View,
  type ViewProps,
} from './components.js';
export { type TickOptions, useEngine, useModel, useTick, useWorld } from './hooks.js';
export { Scene } from './page/scene.js';
export type { SceneProps } from './page/scene-props.js';
export { createSceneRoot, type SceneRoot, type SceneRootOptions } from './scene-root.js';
export type { ActorEventProps } from './tree/events.js';
