/**
 * Components are the parts of actors (SYSTEMS G1). A component takes part in ticks while it is registered in a world. A
 * component with a place in the scene is a SceneComponent.
 *
 *   created ──spawn──► registered ──destroy──► destroyed
 */

import type { TickGroup } from '../world/tick-groups.js';
import type { World } from '../world/world.js';
import type { Actor } from './actor.js';

export class ActorComponent {
  /** The actor that owns this component; `null` before it is added and after it is destroyed. */
  actor: Actor | null = null;
  isDestroyed = false;
  /** The world in which the component is registered. */
  world: World | null = null;
  /** The group in which `tick` is called. Read when the component is registered. */
  tickGroup: TickGroup = 'pre-physics';
  /** Called in every tick of the world while registered. */
  tick?(deltaSeconds: number): void;
  #stopTicking: (() => void) | null = null;

  /** The actor's name, or the component's kind while it has no actor. */
  get name(): string {
    return this.actor?.name ?? this.kind;
  }

  /** Kind of the component, for default names and messages. */
  get kind(): string {
    return 'component';
  }

  /** @internal Names of the options that `clone` copies from the properties of the same names, separated by spaces. */
  get clonedOptions(): string {
    return '';
  }

  /**
   * Returns a copy of this component in its current state, which belongs to no actor and no world. The copy is created
   * by the constructor of its class, with one object of options. A subclass whose constructor takes other parameters
   * has to override this method, because `actor.clone()` calls it.
   */
  clone(): this {
    const options: Record<string, unknown> = {};
    for (const name of this.clonedOptions.split(' ')) {
      if (name) options[name] = this[name as keyof this];
    }
    const copy = new (this.constructor as new (options: object) => this)(options);
    copy.tickGroup = this.tickGroup;
    return copy;
  }

  /** Removes the component from its actor and its world for good. */
  destroy(): void {
    if (this.isDestroyed) return;
    this.actor?.removeComponent(this);
    this.unregister();
    this.isDestroyed = true;
    this.actor = null;
  }

  /** @internal */
  register(world: World): void {
    this.world = world;
    if (this.tick) {
      this.#stopTicking = world.onTick((deltaSeconds) => this.tick?.(deltaSeconds), {
        group: this.tickGroup,
      });
    }
  }

  /** @internal */
  unregister(): void {
    this.#stopTicking?.();
    this.#stopTicking = null;
    this.world = null;
  }
}
