/** What `src/index.ts` makes public of the game side. */
export { Actor } from './actor.js';
export { ActorComponent } from './actor-component.js';
export type { ActorEvent, ActorEventType, ActorListener, ActorListenerOptions } from './actor-events.js';
export type { AddedWorld, WorldOptions } from './added-world.js';
export type { AmbientColor } from './ambient-light.js';
export type { LoadSource } from './asset-source.js';
export type { BillboardComponent, BillboardOptions, SizeUnits } from './billboards/billboard-component.js';
export type { DebugDrawer, DebugDrawerOptions } from './billboards/debug-drawer.js';
export type { LineChanges, LinesComponent, LinesOptions } from './billboards/lines-component.js';
export type { PointChanges, PointsComponent, PointsOptions } from './billboards/points-component.js';
export type { SpriteComponent, SpriteOptions } from './billboards/sprite-component.js';
export type { TextComponent, TextOptions } from './billboards/text-component.js';
export type { TextDirection } from './billboards/text-lines.js';
export type { Bounds } from './bounds.js';
export { CameraComponent, type CameraOptions } from './camera-component.js';
export type { ProjectedPoint, Ray } from './camera-rays.js';
export type { ColorLike } from './color.js';
export type { EnvironmentOptions, EnvironmentSource, WeightedEnvironment } from './environment.js';
export type { FixedTickOptions } from './fixed-tick.js';
export { type Geometry, type GeometryOptions, geometry } from './geometry.js';
export { InstanceColors, instanceColors } from './instance-colors.js';
export { InstancesComponent, type InstancesOptions } from './instances-component.js';
export { type Interpolation, interpolation } from './interpolation.js';
export { Level } from './level.js';
export type { PlayOptions } from './level-clips.js';
export {
  DirectionalLightComponent,
  type DirectionalLightOptions,
  LightComponent,
  PointLightComponent,
  type PointLightOptions,
  SpotLightComponent,
  type SpotLightOptions,
} from './light-component.js';
export type { LoadEnvironment, LoadScene } from './load-queue.js';
export {
  Material,
  type StandardMaterialOptions,
  standardMaterial,
  type TextureOption,
  type UnlitMaterialOptions,
  unlitMaterial,
} from './material.js';
export { MeshComponent, type MeshOptions, PrimitiveComponent } from './mesh-component.js';
export type { MeshLod } from './mesh-lods.js';
export type { ClipOptions, KeyValues } from './motion-channels.js';
export { type KeyframesOptions, keyframes } from './motion-keyframes.js';
export { type AnimateOptions, animate, type MaterialMotion } from './motion-material.js';
export type { Motion } from './motion-mover.js';
export { type OrbitOptions, orbit, type SpinOptions, spin } from './motion-turns.js';
export type { PickedMesh, PickResult } from './pick-result.js';
export type { AnimationClip, Playback } from './playback.js';
export type { RaycastOptions } from './raycast.js';
export {
  type RenderTexture,
  type RenderTextureOptions,
  renderTexture,
  type TexturePicture,
} from './render-texture.js';
export { type AttachTarget, SceneComponent } from './scene-component.js';
export { ShaderMaterial, type ShaderMaterialOptions, shaderMaterial } from './shader-material.js';
export type { ShaderUniforms, UniformValue, UniformValues } from './shader-uniforms.js';
export type { ShadowOptions } from './shadow-options.js';
export {
  boxGeometry,
  type CylinderOptions,
  coneGeometry,
  cylinderGeometry,
  type PlaneOptions,
  planeGeometry,
  sphereGeometry,
  torusGeometry,
} from './shapes.js';
export {
  type PixelData,
  type Texture,
  type TextureOptions,
  type TextureSource,
  type TextureUse,
  texture,
} from './texture.js';
export { TICK_GROUPS, type TickCallback, type TickGroup } from './tick-groups.js';
export type { TransformOptions } from './transform-options.js';
export type { QuaternionLike, QuaternionView, Vector3View, VectorLike } from './transform-view.js';
export type { GeometryChanges } from './updatable-geometry.js';
export type { View, ViewOptions, ViewRect } from './view.js';
export { type LoadOptions, World, type WorldServices } from './world.js';
