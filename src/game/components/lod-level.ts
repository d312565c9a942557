import { NO_ID, RenderOpcode } from '../../proxy/commands.js';
import type { LodGroup } from '../../proxy/scene-description.js';
import type { SceneUpdates } from '../updates/scene-updates.js';
import type { SceneComponent } from './scene-component.js';

/**
 * The level of detail to which a mesh of a loaded file belongs. The render thread decides which level is shown.
 */
export class LodLevel {
  readonly level: number;
  readonly #group: LodGroup;
  readonly #base: SceneComponent;

  /** @param base component in whose space the group's bounding sphere is defined */
  constructor(group: LodGroup, level: number, base: SceneComponent) {
    this.#group = group;
    this.level = level;
    this.#base = base;
  }

  /** Returns the level for a cloned mesh. If the base was cloned too, the copy of the base replaces it. */
  withBase(copies: ReadonlyMap<SceneComponent, SceneComponent>): LodLevel {
    return new LodLevel(this.#group, this.level, copies.get(this.#base) ?? this.#base);
  }

  /** Sends the level, after the primitive's own record. */
  send({ writer }: SceneUpdates, primitive: number, geometryId: number): void {
    const { sizes, sphere } = this.#group;
    const count = sizes.length;
    const at = writer.reserve(RenderOpcode.setLods, 9 + count * 2);
    const { words, floats } = writer;
    words[at] = primitive;
    words[at + 1] = words[at + 2 + count] = count;
    for (let level = 0; level < count; level++)
      words[at + 2 + level] = level === this.level ? geometryId : NO_ID;
    floats.set(sizes, at + 3 + count);
    words[at + 3 + count * 2] = this.#base.node;
    words[at + 4 + count * 2] = 4;
    floats.set(sphere, at + 5 + count * 2);
  }
}
