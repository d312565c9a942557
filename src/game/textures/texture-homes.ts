/**
 * A check in development, which throws if a render texture is used in two engines. The texture's picture is on the GPU
 * device of the engine whose views are drawn into it. In another engine the texture would be black without an error.
 *
 *   addView({ target }), spawn, mesh.material, material.setTexture ─► in use in another engine? ─► throws │ recorded
 */
import { OptionError } from '../../core/errors.js';
import type { SceneComponent } from '../components/scene-component.js';
import type { Material } from '../materials/material.js';
import type { View } from '../world/view.js';
import type { World } from '../world/world.js';
import type { RenderTexture } from './render-texture.js';

/** A use of a texture in a world. */
interface Use {
  readonly world: World;
  hasEnded(): boolean;
}

const allUses = new WeakMap<object, Set<Use>>();
/** A world of each engine, by the registry that observes the engine's materials. */
const worlds = new WeakMap<object, World>();

type WithMaterial = SceneComponent & { readonly material?: Material };

/** Returns whether a value is a render texture. Tests a member, because importing the class would always bundle it. */
const isRenderTexture = (texture: unknown): texture is RenderTexture =>
  typeof texture === 'object' && texture !== null && 'sources' in texture;

/** @throws OptionError `option-invalid` */
function checkEngine(texture: RenderTexture, world: World): void {
  for (const use of allUses.get(texture) ?? []) {
    // Worlds of one engine share their resources.
    if (use.world.updates.resources === world.updates.resources) continue;
    if (!use.world.disposed.aborted && !use.hasEnded()) {
      throw new OptionError(
        'option-invalid',
        `The render texture "${texture.name}" is used in another engine, and its picture is on the GPU device of that engine. Create one for each engine: renderTexture().`,
      );
    }
    allUses.get(texture)?.delete(use);
  }
}

function recordUse(texture: RenderTexture, use: Use): void {
  const uses = allUses.get(texture) ?? new Set();
  allUses.set(texture, uses.add(use));
}

/** Checks a material's textures before a component shows it in a world. @throws OptionError `option-invalid` */
export function checkMaterialHome(
  component: SceneComponent,
  material: Material | undefined,
  world: World,
): void {
  if (!material?.textures) return;
  const { resources } = world.updates;
  worlds.set(resources, world);
  const isShown = (): boolean =>
    component.updates?.resources === resources && (component as WithMaterial).material === material;
  for (const texture of material.textures) checkTextureHome(texture, material, world, isShown);
}

/** Checks a texture before it is set on a material. @throws OptionError `option-invalid` */
export function checkTextureOf(material: Material, value: unknown): void {
  const texture = (value as { readonly texture?: unknown } | null)?.texture ?? value;
  for (const observer of material.observers) {
    const world = worlds.get(observer);
    if (world) checkTextureHome(texture, material, world, () => material.observers.has(observer));
  }
}

function checkTextureHome(texture: unknown, material: Material, world: World, isShown: () => boolean): void {
  if (!isRenderTexture(texture)) return;
  checkEngine(texture, world);
  recordUse(texture, { world, hasEnded: () => !material.textures.includes(texture) || !isShown() });
}

/**
 * Checks the target of a view before the view is added.
 * @returns a function that records the view's use of the target; null if the target is not a render texture
 * @throws OptionError `option-invalid`
 */
export function checkTargetHome(target: unknown, world: World): ((view: View) => void) | null {
  if (!isRenderTexture(target)) return null;
  checkEngine(target, world);
  return (view) => recordUse(target, { world, hasEnded: () => !target.sources.has(view) });
}
