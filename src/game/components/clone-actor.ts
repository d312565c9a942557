/**
 * Clones an actor of a world with everything attached to it. Geometries, materials and clips are shared.
 *
 *   components, parents first ─► copies ─► attached like the originals ─► actors ─► skins of copied joints ─► spawned
 */
import { SceneError } from '../../core/errors.js';
import { checkOptions } from '../../core/options/check-options.js';
import type { Skin } from '../animation/skin.js';
import { TRANSFORM_OPTIONS, type TransformOptions } from '../transforms/transform-options.js';
import type { Actor } from './actor.js';
import type { LodLevel } from './lod-level.js';
import type { SceneComponent } from './scene-component.js';

/** A copied component, whose skin and level of detail refer to other components. */
type Copied = SceneComponent & { skin?: Skin | null; lod?: LodLevel | null };

/** See `Actor.clone`. */
export function cloneActor<Root extends SceneComponent>(
  actor: Actor<Root>,
  options: TransformOptions,
): Actor<Root> {
  checkOptions('clone', options, TRANSFORM_OPTIONS);
  const { world, level, root } = actor;
  if (!world || !level) {
    throw new SceneError(
      'actor-not-spawned',
      `"${actor.name}" is in no world, so it can't be cloned. Spawn it first.`,
    );
  }
  const copies = new Map<SceneComponent, SceneComponent>();
  const actors: Actor[] = [];
  for (const component of root.withAttached()) {
    copies.set(component, component.clone());
    const parent = component === root ? null : component.parent && copies.get(component.parent);
    if (parent) copies.get(component)?.attachTo(parent);
    if (component.actor?.root === component) actors.push(component.actor);
  }
  const skins = new Map<Skin, Skin>();
  const clones = actors.map((original) => {
    const clone = new (original.constructor as typeof Actor)(copies.get(original.root), original.name);
    for (const component of original.components) {
      if (component === original.root) continue;
      clone.addComponent(copies.get(component as SceneComponent) ?? component.clone());
    }
    return clone;
  });
  for (const [original, copy] of copies as ReadonlyMap<Copied, Copied>) {
    if (original.lod) copy.lod = original.lod.withBase(copies);
    if (!copy.skin) continue;
    if (!skins.has(copy.skin)) skins.set(copy.skin, copy.skin.withJoints(copies));
    copy.skin = skins.get(copy.skin) ?? copy.skin;
  }
  const [first] = clones as [Actor<Root>];
  const { position, rotation, scale, name = first.name, visible = first.visible } = options;
  first.name = name;
  first.visible = visible;
  if (position) first.position = position;
  if (rotation) first.rotation = rotation;
  if (scale) first.scale = typeof scale === 'number' ? [scale, scale, scale] : scale;
  const shown = world.activeCamera;
  for (const clone of clones) world.spawn(clone, { level });
  // A camera among the copies does not become the active one.
  world.activeCamera = shown;
  first.attachTo(root.parent);
  for (const [original, copy] of skins) if (copy !== original) copy.carryLost(root, first.root);
  return first;
}
