import { element } from './dom.js';

/** A setting as the panel shows it. */
interface ShownSetting {
  readonly name: string;
  readonly value: unknown;
  readonly values: string;
  readonly words: readonly string[] | null;
  readonly description: string;
  readonly isChangeable: boolean;
}

export interface ShownSettings {
  list(): readonly ShownSetting[];
  /** Throws for a wrong value. */
  set(name: string, value: unknown): void;
}

export const SETTINGS_STYLE = `
.settings { max-height: 30vh; }
table { border-collapse: collapse; margin: 0 8px 8px; }
th, td { text-align: left; padding: 1px 14px 1px 0; white-space: nowrap; }
th { font-weight: 600; color: #cfd6e4; }
td:last-child { white-space: normal; color: #cfd6e4; }
input, select { font: inherit; color: inherit; background: rgb(255 255 255 / .1);
  border: 1px solid rgb(255 255 255 / .2); border-radius: 3px; }
input:not([type=checkbox]) { width: 12em; }
[aria-invalid=true] { border-color: #ff8a7a; }
`;

/** A control, and the function that shows a value in it. */
interface Field {
  readonly control: HTMLElement;
  readonly show: (value: unknown) => unknown;
}

/**
 * The table of settings in the timeline's panel. Settings that can change at any time have a control, which sets them
 * at once. All others are text. `update` shows values that were changed elsewhere.
 */
export class SettingsPanel {
  readonly element = element('div', { class: 'settings' });
  readonly #settings: ShownSettings;
  readonly #onError: (message: string) => void;
  readonly #fields = new Map<string, Field>();

  /** @param onError receives the message of a rejected value, and an empty text for each accepted one */
  constructor(settings: ShownSettings, onError: (message: string) => void) {
    this.#settings = settings;
    this.#onError = onError;
    const heads = ['setting', 'value', 'values', 'meaning'].map((head) => element('th', {}, head));
    const table = element('table', { 'aria-label': 'Settings' }, element('tr', {}, ...heads));
    this.element.append(table);
    for (const setting of settings.list()) {
      const { name, values, description } = setting;
      const field = setting.isChangeable ? this.#controlOf(setting) : textField();
      this.#fields.set(name, field);
      table.append(
        element(
          'tr',
          {},
          element('td', {}, name),
          element('td', {}, field.control),
          element('td', {}, values),
          element('td', {}, description),
        ),
      );
    }
    this.update();
  }

  /** Shows the current values, except in the control that is being edited. */
  update(): void {
    const root = this.element.getRootNode() as Partial<DocumentOrShadowRoot>;
    for (const { name, value } of this.#settings.list()) {
      const field = this.#fields.get(name);
      if (field && field.control !== root.activeElement) field.show(value);
    }
  }

  #controlOf({ name, values, words }: ShownSetting): Field {
    // The setting that turns an effect on is a checkbox, too. The effect's options are separate settings.
    if (values.startsWith('true or false')) return this.#checkbox(name);
    if (words) {
      const options = words.map((word) => element('option', { value: word }, word));
      const select = element('select', { 'aria-label': name }, ...options);
      select.addEventListener('change', () => this.#set(name, select.value, select));
      return { control: select, show: (shown) => Object.assign(select, { value: String(shown) }) };
    }
    const input = element('input', { 'aria-label': name });
    input.addEventListener('change', () => this.#set(name, parsed(input.value), input));
    return { control: input, show: (shown) => Object.assign(input, { value: shownText(shown) }) };
  }

  #checkbox(name: string): Field {
    const box = element('input', { type: 'checkbox', 'aria-label': name });
    box.addEventListener('change', () => this.#set(name, box.checked, box));
    // The value of an effect that is on is the object of its options.
    return { control: box, show: (shown) => Object.assign(box, { checked: shown !== false }) };
  }

  #set(name: string, value: unknown, control: HTMLElement): void {
    let message = '';
    try {
      this.#settings.set(name, value);
    } catch (error) {
      ({ message } = error as Error);
    }
    control.setAttribute('aria-invalid', String(message !== ''));
    this.#onError(message);
    if (message === '') this.update();
  }
}

function textField(): Field {
  const control = element('span');
  return { control, show: (shown) => Object.assign(control, { textContent: shownText(shown) }) };
}

const shownText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));

/** Returns the value of a typed text: JSON for numbers, lists and the like, else the text itself. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
