/**
 * Sends all of a world anew into another stream, when other threads take over. Nothing else knows of two streams.
 *
 *   prepareResend ─► images are decoded again         resend ─► destroys go nowhere │ everything as if it were new
 *
 * Ids stay. What waited for its destruction is gone without a record, as the new stream never knew it.
 */
import { SceneError } from '../../core/errors.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import type { SceneComponent } from '../components/scene-component.js';
import type { Geometry } from '../geometry/geometry.js';
import type { World } from '../world/world.js';
import type { ResourceRegistry } from './resource-registry.js';
import { DirtyFlag } from './scene-updates.js';

/** Takes the words of records that are written to be forgotten. */
const NOWHERE = /* @__PURE__ */ { words: [], reserve: () => 0 } as unknown as StreamWriter;

/**
 * Makes ready for `resend`: decodes every image again that was handed over. Call it while no updates are sent. An
 * image that can't be had again is reported; what shows it will go without.
 */
export async function prepareResend(world: World): Promise<void> {
  await world.updates.resources.textures?.prepareResend();
}

/**
 * From now on all records go to `writer`, which is told at once of everything there is; publishing is the caller's.
 * An image that `prepareResend` did not make ready comes when it is decoded.
 * @param shared where the engine's own world has gone before with what all worlds share: what this gave for it
 * @returns geometries that can't be sent
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
      // Vertices that were transferred away can't be sent again: it is as if it had never been shown.
      if (component.geometry?.data?.byteLength === 0) component.removeProxy(updates);
    }
  }
  // What the new stream never knew needs no destruction there.
  updates.writer = NOWHERE;
  updates.sendDestroys();
  if (!shared) updates.resources.sendReleases();
  updates.writer = writer;
  updates.transforms.markAll();
  const unsent = shared ?? resendResources(updates.resources);
  if (unsent.size) {
    // Whoever shows one of them is new to the stream as well: it asks for its geometry again, and hears why not.
    for (const component of updates.dirty as (SceneComponent & { readonly geometry?: Geometry })[])
      if (component.geometry && unsent.has(component.geometry)) component.removeProxy(updates);
    updates.writer = NOWHERE;
    updates.sendDestroys();
    updates.writer = writer;
  }
  for (const instances of updates.instances) instances.forgetSent();
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
 * Geometries now, the rest with the update that follows. The order is that of first use, as it was in the stream
 * before: the renderer's numbers and pages come out alike.
 * @returns the geometries that can't be sent: there may be less memory than before
 */
function resendResources(resources: ResourceRegistry): ReadonlySet<Geometry> {
  const unsent = new Set<Geometry>();
  for (const [resource, { id }] of resources.entries) {
    if ('observers' in resource) resources.markMaterial(resource);
    // Transferred away meanwhile. Whoever shows it hears of it when it asks for it.
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
