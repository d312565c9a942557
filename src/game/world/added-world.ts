import { StateError } from '../../core/errors.js';
import type { Shaped } from '../../core/options/member.js';
import { anything, boolean, byDefault, optional } from '../../core/options/members.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { World, type WorldServices } from './world.js';

export const WORLD_OPTIONS = {
  /** Name in messages. Default: `world 1` and so on. */
  name: optional(anything<string>()),
  /** Whether the world starts paused. Default false. */
  paused: byDefault(boolean(), false),
};

export type WorldOptions = Shaped<typeof WORLD_OPTIONS>;

/**
 * A world in addition to the engine's own (SYSTEMS G1), with actors, ticks, cameras, lights and an
 * environment of its own. Geometries, materials and textures are shared, so the GPU holds one copy for all
 * worlds.
 *
 *   engine.world ───► scene 0 ─┐
 *   createWorld() ──► scene 1 ─┼─ one stream of render commands, one device ─► draws `engine.world` and the worlds of views
 *   createWorld() ──► scene 2 ─┘
 */
export interface AddedWorld extends World {
  /** Name in messages. */
  readonly name: string;
  /**
   * Ends the world's loads and callbacks, and destroys everything in it. Its views show nothing from then on.
   * Further calls have no effect.
   * @throws StateError `world-shown` while `engine.world` is this world
   */
  destroy(): void;
}

/**
 * Creates an added world. @param leave called before the world is destroyed; if it throws, the world remains
 */
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
