import { OptionError } from '../../core/errors.js';
import { checkChoice, checkNumber } from '../../game/checks/options.js';
import { parseColor } from '../../game/materials/color.js';
import { RENDERERS, type RendererName, TONE_MAPPINGS, type ToneMapping } from '../../proxy/commands.js';
import { displayCodeOf, encodeColor, toneCurves } from '../../render/picture/tone-curves.js';
import type { BackgroundColor, ResolvedOptions } from './engine-options.js';
import type { OutputSettings } from './frame-settings.js';

/**
 * The look of the picture, apart from the scene: each value as the page has set it, checked, and as it is sent with the next
 * frame. It belongs to the engine and outlives threads, so a picture looks the same after a change of them.
 */
export class Look implements OutputSettings {
  #linearBackground: readonly number[];
  #shownBackground: readonly number[];
  /** Called after every change. */
  onChange = (): void => {};
  #background: BackgroundColor;
  #exposure: number;
  #antialias: 1 | 4;
  #hdr: boolean;
  #toneMapping: ToneMapping;
  #renderer: RendererName;

  /** @throws OptionError `color-invalid` */
  constructor({ background, exposure, sampleCount, hdr, toneMapping, renderer }: ResolvedOptions) {
    checkPair(hdr, renderer);
    this.#linearBackground = parseColor('createEngine', 'background', background);
    this.#shownBackground = hdr ? this.#linearBackground : encodeColor(this.#linearBackground);
    this.#background = background;
    this.#exposure = exposure;
    this.#antialias = sampleCount;
    this.#hdr = hdr;
    this.#toneMapping = toneMapping;
    this.#renderer = renderer;
  }

  get background(): BackgroundColor {
    return this.#background;
  }
  set background(color: BackgroundColor) {
    this.#linearBackground = parseColor('engine', 'background', color);
    this.#background = typeof color === 'string' ? color : [...color];
    this.#updateTones();
  }

  get exposure(): number {
    return this.#exposure;
  }
  set exposure(factor: number) {
    this.#exposure = checkNumber('engine', 'exposure', factor, 1e-6, 1e6);
    this.onChange();
  }

  get sampleCount(): 1 | 4 {
    return this.#antialias;
  }
  set antialias(value: boolean | 1 | 4) {
    this.#antialias = sampleCountOf('engine', value);
    this.onChange();
  }

  get renderer(): RendererName {
    return this.#renderer;
  }
  set renderer(name: RendererName) {
    checkPair(this.#hdr, checkChoice('engine', 'renderer', name, RENDERERS));
    this.#renderer = name;
    this.onChange();
  }

  get hdr(): boolean {
    return this.#hdr;
  }
  set hdr(hdr: boolean) {
    if (typeof hdr !== 'boolean') {
      throw new OptionError(
        'option-invalid',
        `hdr of engine is ${JSON.stringify(hdr)}; it has to be true or false.`,
      );
    }
    checkPair(hdr, this.#renderer);
    this.#hdr = hdr;
    this.#updateTones();
  }

  get toneMapping(): ToneMapping {
    return this.#toneMapping;
  }
  set toneMapping(toneMapping: ToneMapping) {
    this.#toneMapping = checkChoice('engine', 'toneMapping', toneMapping, TONE_MAPPINGS);
    this.#updateTones();
  }

  get toneCurve(): string {
    return toneCurves[this.#toneMapping] ?? '';
  }

  get displayCode(): string {
    return this.#hdr ? '' : displayCodeOf(this.toneCurve);
  }

  /** The background as it is sent: linear, or encoded for displays where `hdr` is off. */
  get shownBackground(): readonly number[] {
    return this.#shownBackground;
  }

  #updateTones(): void {
    this.#shownBackground = this.#hdr ? this.#linearBackground : encodeColor(this.#linearBackground);
    this.onChange();
  }
}

/** The deferred renderer adds light to what it has drawn. @throws OptionError `option-invalid` */
function checkPair(hdr: boolean, renderer: RendererName): void {
  if (hdr || renderer === 'forward') return;
  throw new OptionError(
    'option-invalid',
    `The renderer '${renderer}' adds up light in half floats, which hdr: false does without.`,
  );
}

/**
 * Samples per pixel that an `antialias` stands for.
 * @throws OptionError `option-invalid`
 */
export function sampleCountOf(what: string, antialias: unknown): 1 | 4 {
  if (antialias === 4 || antialias === true) return 4;
  if (antialias === 1 || antialias === false) return 1;
  throw new OptionError(
    'option-invalid',
    `antialias of ${what} is ${JSON.stringify(antialias)}; it has to be 4, 1 or false.`,
  );
}
