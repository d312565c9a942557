/**
 * What actors are made of (SYSTEMS G1): a component takes part in ticks while it is registered in a world. One
 * that has a place in the scene as well is a SceneComponent.
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
  /** The world it is registered in. */
  world: World | null = null;
  /** When `tick` is called; read when the component is registered. */
  tickGroup: TickGroup = 'pre-physics';
  /** Called every frame while registered. */
  tick?(deltaSeconds: number): void;
  #stopTicking: (() => void) | null = null;

  /** The actor's name, or the component's kind while it has no actor. */
  get name(): string {
    return this.actor?.name ?? this.kind;
  }

  /** What it is, for default names and messages. */
  get kind(): string {
    return 'component';
  }

  /** @internal The options by which `clone` makes another one: properties of the same names. */
  get clonedOptions(): string {
    return '';
  }

  /**
   * Another component like this one is now, in no actor and no world. It is made by the constructor of its class, with one object of
   * options. A class of yours whose constructor takes something else has to override this; `actor.clone()` calls it.
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

  /** Takes the component out of its actor and its world for good. */
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
