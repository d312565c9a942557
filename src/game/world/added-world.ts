import { StateError } from '../../core/errors.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, boolean, byDefault, optional } from '../../core/options/members.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { World, type WorldServices } from './world.js';

export const WORLD_OPTIONS = {
  /** For messages. Default: `world 1` and so on. */
  name: optional(anything<string>()),
  /** Whether time stands still in it at first. Default false. */
  paused: byDefault(boolean(), false),
};

export type WorldOptions = Shaped<typeof WORLD_OPTIONS>;

/**
 * A world besides the engine's own (SYSTEMS G1), with actors, ticks, cameras, lights and an environment of its own. Geometries,
 * materials and textures are shared: what several worlds show is on the GPU once.
 *
 *   engine.world ───► scene 0 ─┐
 *   createWorld() ──► scene 1 ─┼─ one stream of render commands, one device ─► the world that `engine.world` names, and those of views
 *   createWorld() ──► scene 2 ─┘
 */
export interface AddedWorld extends World {
  /** For messages. */
  readonly name: string;
  /**
   * Ends its loads and callbacks, and destroys everything in it. Views of it show nothing. May be called again.
   * @throws StateError `world-shown` while `engine.world` is this one
   */
  destroy(): void;
}

/** @param leave called before it is destroyed; may throw */
export function createAddedWorld(
  writer: StreamWriter,
  services: WorldServices,
  name: string,
  leave: (world: AddedWorld) => void,
): AddedWorld {
  const world: AddedWorld = Object.assign(new World(writer, services), {
    name,
    destroy: () => {
      if (world.disposed.aborted) return;
      leave(world);
      world.dispose(
        new StateError('world-destroyed', `The world "${name}" was destroyed. Create another one.`),
      );
    },
  });
  return world;
}
