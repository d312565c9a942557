/**
 * The texts of a debug drawer. In each frame, the first text uses the first label, and so on. A frame with the same
 * texts as the frame before, in the same order, creates no labels and lays out no text.
 */
import type { Actor } from '../components/actor.js';
import { type ColorLike, parseColor } from '../materials/color.js';
import type { World } from '../world/world.js';
import { TextComponent } from './text-component.js';

/** Font size in pixels of the page. */
const SIZE = 14;

interface Label {
  readonly actor: Actor<TextComponent>;
  color: ColorLike;
}

export class DebugLabels {
  readonly #world: World;
  readonly #labels: Label[] = [];
  /** Number of labels shown since the last `flush`. */
  #count = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Shows a text for one frame. @throws OptionError; PlatformError `canvas-missing` */
  show(position: readonly [number, number, number], text: string, color: ColorLike): void {
    let label = this.#labels[this.#count];
    if (!label) {
      const component = new TextComponent({ name: 'debug text', text, color, size: SIZE, anchor: [0.5, 0] });
      label = { actor: this.#world.spawn(component), color };
      this.#labels.push(label);
    }
    const { actor } = label;
    const { root } = actor;
    if (label.color !== color) {
      root.material.baseColor = parseColor('text', 'color', color);
      label.color = color;
    }
    root.text = text;
    root.position.set(...position);
    root.visible = true;
    this.#count++;
  }

  /** Per frame: hides the labels that were not used. */
  flush(): void {
    for (let index = this.#count; index < this.#labels.length; index++) {
      (this.#labels[index] as Label).actor.visible = false;
    }
    this.#count = 0;
  }

  dispose(): void {
    for (const { actor } of this.#labels) actor.destroy();
    this.#labels.length = 0;
  }
}
