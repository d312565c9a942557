/** The menu of a visitor's model: its animations, its material variants, and the name of the last clicked part. */
import type { Level, Playback } from '../src/index.js';

/** Seconds of a cross-fade from one animation to another. */
const FADE_SECONDS = 0.3;

export class ModelMenu {
  readonly #element: HTMLElement;
  #playback: Playback | null = null;

  constructor(element: HTMLElement) {
    this.#element = element;
  }

  /** Shows the menu, and plays the model's first animation, if any. */
  show(level: Level): void {
    this.clear();
    const { animations, variants } = level;
    const play = (index: number): void => {
      this.#playback?.stop({ fadeSeconds: FADE_SECONDS });
      this.#playback = index < 0 ? null : level.play(index, { fadeSeconds: FADE_SECONDS });
    };
    if (animations.length > 0) {
      this.#playback = level.play(0);
      const names = animations.map(({ name }) => name);
      this.#element.append(choice('Animation', ['still', ...names], 1, (index) => play(index - 1)));
    }
    if (variants.length > 0) {
      const choose = (index: number): void => {
        level.variant = index === 0 ? null : (variants[index - 1] ?? null);
      };
      this.#element.append(choice('Look', ['as it came', ...variants], 0, choose));
    }
    const clicked = document.createElement('output');
    clicked.textContent = 'Click a part to see its name.';
    this.#element.append(clicked);
    level.root?.addEventListener('click', ({ target, hit }) => {
      const distance = hit ? `, ${hit.distance.toPrecision(3)} m away` : '';
      clicked.textContent = `That is “${target.name}”${distance}.`;
    });
    this.#element.hidden = false;
  }

  clear(): void {
    this.#playback = null;
    this.#element.hidden = true;
    this.#element.replaceChildren();
  }
}

function choice(
  label: string,
  names: readonly string[],
  chosen: number,
  onChoose: (index: number) => void,
): HTMLElement {
  const select = document.createElement('select');
  for (const name of names) select.append(new Option(name));
  select.selectedIndex = chosen;
  select.addEventListener('change', () => onChoose(select.selectedIndex));
  const element = document.createElement('label');
  element.append(label, ' ', select);
  return element;
}
