import { grow } from '../../core/memory/grow.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { EFFECT_NAMES, type EffectActor, type EffectName } from '../../proxy/effects.js';
import type { Actor } from '../components/actor.js';
import type { SceneComponent } from '../components/scene-component.js';

/**
 * Sends the actors of one effect to the render thread: the scene and the node of each root. An actor outside of any
 * world has no node and is omitted. Actors enter and leave worlds at any time, so each frame compares the list with the
 * one that was sent last.
 *
 *   actors ─► roots in a world ─► pairs of scene and node ─► setEffectActors, if they differ from the last ones
 */
export class SentActors {
  readonly effect: EffectName;
  readonly #actors: readonly EffectActor[];
  #pairs = new Uint32Array(0);
  /** Number of words in the sent pairs; -1: nothing was sent. */
  #length = -1;

  constructor(effect: EffectName, actors: readonly EffectActor[]) {
    this.effect = effect;
    this.#actors = actors;
  }

  /** Per frame: sends the pairs if they have changed. */
  send(writer: StreamWriter, view: number): void {
    const actors = this.#actors;
    this.#pairs = grow(this.#pairs, actors.length * 2);
    const pairs = this.#pairs;
    let isSame = true;
    let length = 0;
    for (let index = 0; index < actors.length; index++) {
      const actor = actors[index] as Actor | SceneComponent;
      const { updates, node } = 'root' in actor ? actor.root : actor;
      if (updates === null) continue;
      isSame &&= pairs[length] === updates.scene && pairs[length + 1] === node;
      pairs[length] = updates.scene;
      pairs[length + 1] = node;
      length += 2;
    }
    if (isSame && length === this.#length) return;
    this.#length = length;
    const at = writer.reserve(RenderOpcode.setEffectActors, 3 + length);
    const { words } = writer;
    words[at] = view;
    words[at + 1] = EFFECT_NAMES.indexOf(this.effect);
    words[at + 2] = length;
    for (let index = 0; index < length; index++) words[at + 3 + index] = pairs[index] as number;
  }
}
