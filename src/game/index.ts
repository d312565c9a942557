/** Public exports of the game side, re-exported by `src/index.ts`. */

export type { PlayOptions } from './animation/level-clips.js';
export type { AnimationClip, Playback } from './animation/playback.js';
export type { BillboardComponent, BillboardOptions, SizeUnits } from './billboards/billboard-component.js';
export type { DebugDrawer, DebugDrawerOptions } from './billboards/debug-drawer.js';
export type { LineChanges, LinesComponent, LinesOptions } from './billboards/lines-component.js';
export type { PointChanges, PointsComponent, PointsOptions } from './billboards/points-component.js';
export type { SpriteComponent, SpriteOptions } from './billboards/sprite-component.js';
export { Actor } from './components/actor.js';
export { ActorComponent } from './components/actor-component.js';
export type {
  ActorEvent,
  ActorEventType,
  ActorListener,
  ActorListenerOptions,
} from './components/actor-events.js';
export type { Bounds } from './components/bounds.js';
export { CameraComponent, type CameraOptions } from './components/camera-component.js';
export type { ProjectedPoint, Ray } from './components/camera-rays.js';
export { InstanceColors, instanceColors } from './components/instance-colors.js';
export { InstancesComponent, type InstancesOptions } from './components/instances-component.js';
export { MeshComponent, type MeshOptions } from './components/mesh-component.js';
export type { MeshLod } from './components/mesh-lods.js';
export { PrimitiveComponent } from './components/primitive-component.js';
export { type AttachTarget, SceneComponent } from './components/scene-component.js';
export { DecalComponent, type DecalOptions } from './decals/decal-component.js';
export { parseCube } from './effects/cube-file.js';
export type { Effects, ViewEffects } from './effects/effect-settings.js';
export { loadColorTable } from './effects/load-color-table.js';
export { type Geometry, type GeometryOptions, geometry } from './geometry/geometry.js';
export {
  boxGeometry,
  type CylinderOptions,
  coneGeometry,
  cylinderGeometry,
  type PlaneOptions,
  planeGeometry,
  sphereGeometry,
  torusGeometry,
} from './geometry/shapes.js';
export type { GeometryChanges } from './geometry/updatable-geometry.js';
export type { AmbientColor } from './lights/ambient-light.js';
export type { EnvironmentOptions, EnvironmentSource, WeightedEnvironment } from './lights/environment.js';
export {
  DirectionalLightComponent,
  type DirectionalLightOptions,
  LightComponent,
  PointLightComponent,
  type PointLightOptions,
  SpotLightComponent,
  type SpotLightOptions,
} from './lights/light-component.js';
export { ShadowCatcherComponent, type ShadowCatcherOptions } from './lights/shadow-catcher-component.js';
export type { ShadowOptions } from './lights/shadow-options.js';
export type { SkyOptions, SkySun } from './lights/sky.js';
export type { LoadSource } from './loading/asset-source.js';
export type { ColorLike } from './materials/color.js';
export {
  Material,
  type StandardMaterialOptions,
  standardMaterial,
  type TextureOption,
  type UnlitMaterialOptions,
  unlitMaterial,
} from './materials/material.js';
export { ShaderMaterial, type ShaderMaterialOptions, shaderMaterial } from './materials/shader-material.js';
export type { ShaderUniforms, UniformValue, UniformValues } from './materials/shader-uniforms.js';
export type { ShaderVaryings } from './materials/shader-varyings.js';
export type { ClipOptions, KeyValues } from './motion/motion-channels.js';
export { type KeyframesOptions, keyframes } from './motion/motion-keyframes.js';
export { type AnimateOptions, animate, type MaterialMotion } from './motion/motion-material.js';
export type { Motion } from './motion/motion-mover.js';
export { type OrbitOptions, orbit, type SpinOptions, spin } from './motion/motion-turns.js';
export type { ParticlePlane, ParticleSurfaces } from './particles/particle-collisions.js';
export type {
  ParticleSource,
  ParticlesOptions,
  StopsOf,
} from './particles/particle-options.js';
export { ParticlesComponent } from './particles/particles-component.js';
export type { PickedMesh, PickResult } from './picking/pick-result.js';
export type { RaycastOptions } from './picking/raycast.js';
export type { TextComponent, TextOptions } from './text/text-component.js';
export type { TextDirection } from './text/text-lines.js';
export {
  type RenderTexture,
  type RenderTextureOptions,
  renderTexture,
  type TexturePicture,
} from './textures/render-texture.js';
export {
  type PixelData,
  type Texture,
  type TextureOptions,
  type TextureSource,
  type TextureUse,
  texture,
} from './textures/texture.js';
export type { TransformOptions } from './transforms/transform-options.js';
export type { QuaternionLike, QuaternionView, Vector3View, VectorLike } from './transforms/transform-view.js';
export type { AddedWorld, WorldOptions } from './world/added-world.js';
export type { FixedTickOptions } from './world/fixed-tick.js';
export { type Interpolation, interpolation } from './world/interpolation.js';
export { Level, type LoadedLevel } from './world/level.js';
export { TICK_GROUPS, type TickCallback, type TickGroup } from './world/tick-groups.js';
export type { View, ViewOptions, ViewRect } from './world/view.js';
export { type LoadOptions, World } from './world/world.js';
