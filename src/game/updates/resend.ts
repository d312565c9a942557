/**
 * Sends a whole world again into another stream, when the render side is replaced. No other file handles two streams.
 *
 *   prepareResend ─► images are decoded again         resend ─► pending destroys are dropped │ everything is sent as if new
 *
 * Ids stay the same. Pending destructions are dropped, because the new stream never received those objects.
 */
import { SceneError } from '../../core/errors.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { InstancesComponent } from '../components/instances-component.js';
import type { SceneComponent } from '../components/scene-component.js';
import type { Geometry } from '../geometry/geometry.js';
import type { World } from '../world/world.js';
import type { ResourceRegistry } from './resource-registry.js';
import { DirtyFlag } from './scene-updates.js';

/** A writer that discards all records. */
const DISCARDING_WRITER = /* @__PURE__ */ { words: [], reserve: () => 0 } as unknown as StreamWriter;

/**
 * Prepares `resend`: decodes every transferred image again. Call it while no updates are sent. An image that
 * can't be decoded again is reported, and its materials are drawn without it.
 */
export async function prepareResend(world: World): Promise<void> {
  await world.updates.resources.textures?.prepareResend();
}

/**
 * Sends everything to `writer` at once, and all later records as well. The caller publishes. Images that
 * `prepareResend` has not decoded are sent once they are decoded.
 * @param shared undefined for the engine's own world, which comes first and also sends the resources of all worlds.
 *   For every other world, the result of that first call
 * @returns geometries whose vertices are known but can't be sent
 */
export function resend(
  { updates, levels }: World,
  writer: StreamWriter,
  shared?: ReadonlySet<Geometry>,
): ReadonlySet<Geometry> {
  updates.dirty.length = 0;
  for (const { components } of levels) {
    for (const component of components as Iterable<SceneComponent & { readonly geometry?: Geometry }>) {
      if (component.updates !== updates) continue;
      component.isNodeSent = false;
      component.dirtyFlags = 0;
      updates.flag(component, DirtyFlag.renderState);
      // Transferred vertices can't be sent again, so the primitive is treated as if it had never been shown.
      if (component.geometry?.data?.byteLength === 0) component.removeProxy(updates);
    }
  }
  // The new stream does not have these objects, so their destruction is dropped.
  updates.writer = DISCARDING_WRITER;
  updates.sendDestroys();
  if (!shared) updates.resources.sendReleases();
  updates.writer = writer;
  updates.transforms.markAll();
  const unsent = shared ?? resendResources(updates.resources);
  if (unsent.size) {
    // Components with an unsent geometry are treated as if they had never been shown. They request the geometry
    // again, which reports the reason.
    for (const component of updates.dirty as (SceneComponent & { readonly geometry?: Geometry })[])
      if (component.geometry && unsent.has(component.geometry)) component.removeProxy(updates);
    updates.writer = DISCARDING_WRITER;
    updates.sendDestroys();
    updates.writer = writer;
  }
  for (const { components } of levels)
    for (const component of components)
      if (component instanceof InstancesComponent && component.updates === updates)
        component.forgetSent(updates);
  updates.motions?.resend();
  updates.clips?.resend();
  updates.environment?.resend();
  if (updates.ambient) updates.ambient.isDirty = true;
  updates.markView();
  if (!shared) updates.views?.resend();
  updates.send();
  return unsent;
}

/**
 * Sends the geometries now and marks materials and textures for the next update. Resources keep the order of their
 * first use, so the renderer allocates their memory in the same order as before.
 * @returns the geometries that can't be sent, for example because less memory is free than before
 */
function resendResources(resources: ResourceRegistry): ReadonlySet<Geometry> {
  const unsent = new Set<Geometry>();
  for (const [resource, { id }] of resources.entries) {
    if ('observers' in resource) resources.markMaterial(resource);
    // The vertices were transferred away. The geometry's users get the error when they request it again.
    else if (!resource.data.byteLength) resources.forget(resource);
    else {
      try {
        resources.sendGeometry(resource, id);
      } catch (error) {
        if (!(error instanceof SceneError)) throw error;
        resources.forget(resource);
        unsent.add(resource);
      }
    }
  }
  resources.textures?.resend();
  return unsent;
}
