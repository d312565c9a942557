/** Builds the scene of a world directly in another world. For tests only. */
import { Actor } from '../components/actor.js';
import { CameraComponent } from '../components/camera-component.js';
import { MeshComponent } from '../components/mesh-component.js';
import { SceneComponent } from '../components/scene-component.js';
import { DirectionalLightComponent, LightComponent, PointLightComponent } from '../lights/light-component.js';
import { Material } from '../materials/material.js';
import { LevelTexture } from '../textures/level-texture.js';
import type { PixelData, Texture } from '../textures/texture.js';
import type { World } from '../world/world.js';
import { fakeImage } from './fake-images.js';
import { SAMPLER } from './history.js';

/** Returns a copy of the texture, as it was before its image was transferred. */
async function levelTextureLike(original: LevelTexture): Promise<LevelTexture> {
  const { name: label, srgb, retained } = original;
  const image =
    retained instanceof Blob
      ? (fakeImage(await retained.text()) as unknown as ImageBitmap)
      : new Uint8Array((retained as PixelData).data).buffer;
  return new LevelTexture({ label, image, width: 1, height: 1, srgb, sampler: SAMPLER });
}

/** Builds the scene of `from` in `world`, which is empty. Copies only properties that histories change. */
export async function rebuild(from: World, world: World): Promise<void> {
  const textures = new Map<Texture, Texture>();
  for (const level of from.levels) {
    for (const { texture: each } of level.textures) {
      textures.set(each, await levelTextureLike(each as LevelTexture));
    }
  }
  const textureLike = (original: Texture): Texture => textures.get(original) ?? original;
  const materials = new Map<Material, Material>();
  const materialLike = (original: Material): Material => {
    const copy = materials.get(original) ?? new Material(original.name, original.flags);
    copy.parameters.set(original.parameters);
    original.textures.forEach((each, slot) => {
      copy.textures[slot] = each && textureLike(each);
    });
    materials.set(original, copy);
    return copy;
  };
  const copies = new Map<SceneComponent, SceneComponent>();
  const copyOf = (component: SceneComponent): SceneComponent => {
    let copy: SceneComponent;
    if (component instanceof MeshComponent) {
      copy = new MeshComponent({ geometry: component.geometry, material: materialLike(component.material) });
    } else if (component instanceof CameraComponent) copy = new CameraComponent({ fovY: component.fovY });
    else if (component instanceof DirectionalLightComponent) copy = new DirectionalLightComponent();
    else if (component instanceof LightComponent) {
      copy = new PointLightComponent({ intensity: component.intensity, range: component.range });
    } else copy = new SceneComponent();
    const { position, rotation, scale } = component;
    copy.position.set(position.x, position.y, position.z);
    copy.rotation.set(rotation.x, rotation.y, rotation.z, rotation.w);
    copy.scale.set(scale.x, scale.y, scale.z);
    copy.visible = component.visible;
    copies.set(component, copy);
    return copy;
  };
  for (const level of from.levels) {
    for (const { texture: each } of level.textures) world.updates.resources.holdTexture(textureLike(each));
    for (const actor of level.root ? [level.root, ...level.actors] : level.actors) {
      const [root, ...others] = (actor.components as SceneComponent[]).map(copyOf);
      const copy = new Actor(root);
      for (const other of others) copy.addComponent(other);
      world.spawn(copy);
    }
  }
  for (const [component, copy] of copies) {
    const parent = component.parent && (copies.get(component.parent) as SceneComponent);
    if (copy.parent !== parent) copy.attachTo(parent);
  }
  const camera = from.activeCamera?.component(CameraComponent);
  world.activeCamera = (camera && copies.get(camera)?.actor) ?? null;
}
