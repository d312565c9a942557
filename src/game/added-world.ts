import { StateError } from '../core/errors.js';
import type { StreamWriter } from '../core/stream.js';
import { World, type WorldServices } from './world.js';

export interface WorldOptions {
  /** For messages. Default: `world 1` and so on. */
  readonly name?: string;
  /** Whether time stands still in it at first. Default false. */
  readonly paused?: boolean;
}

/**
 * A world besides the engine's own (SYSTEMS G1), with actors, ticks, cameras, lights and an environment of its own. Geometries,
 * materials and textures are shared: what several worlds show is on the GPU once.
 *
 *   engine.world ───► scene 0 ─┐
 *   createWorld() ──► scene 1 ─┼─ one stream of render commands, one device ─► the world that `engine.world` names, and those of views
 *   createWorld() ──► scene 2 ─┘
 */
export class AddedWorld extends World {
  /** For messages. */
  readonly name: string;
  readonly #leave: (world: AddedWorld) => void;

  /** @internal use `engine.createWorld` @param leave called before it is destroyed; may throw */
  constructor(
    writer: StreamWriter,
    services: WorldServices,
    name: string,
    leave: (world: AddedWorld) => void,
  ) {
    super(writer, services);
    this.name = name;
    this.#leave = leave;
  }

  /**
   * Ends its loads and callbacks, and destroys everything in it. Views of it show nothing. May be called again.
   * @throws StateError `world-shown` while `engine.world` is this one
   */
  destroy(): void {
    if (this.disposed.aborted) return;
    this.#leave(this);
    this.dispose(
      new StateError('world-destroyed', `The world "${this.name}" was destroyed. Create another one.`),
    );
  }
}
