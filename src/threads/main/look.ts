import { OptionError } from '../../core/errors.js';
import { part } from '../../core/lazily.js';
import { parseColor } from '../../game/color.js';
import { checkChoice, checkNumber } from '../../game/options.js';
import { RENDERERS, type RendererName, TONE_MAPPINGS, type ToneMapping } from '../../proxy/commands.js';
import type { BackgroundColor, ResolvedOptions } from './engine-options.js';
import type { OutputSettings } from './frame-settings.js';

/**
 * How the picture looks, apart from what is in the scene: each value as the page has set it, checked, and as it is sent
 * with the next frame. It belongs to the engine and outlives threads, so a picture looks the same after a change of them.
 *
 * A tone mapping is told apart from its curve, which is WGSL that is fetched when it is first asked for: until then the
 * picture keeps the curve that it has.
 */
export class Look implements OutputSettings {
  linearBackground: readonly number[];
  toneCurve = '';
  /** Called after every change. */
  onChange = (): void => {};
  #background: BackgroundColor;
  #exposure: number;
  #antialias: 1 | 4;
  #toneMapping: ToneMapping;
  #renderer: RendererName;

  /** @throws OptionError `color-invalid` */
  constructor({ background, exposure, sampleCount, toneMapping, renderer }: ResolvedOptions) {
    this.linearBackground = parseColor('createEngine', 'background', background);
    this.#background = background;
    this.#exposure = exposure;
    this.#antialias = sampleCount;
    this.#toneMapping = toneMapping;
    this.#renderer = renderer;
  }

  get background(): BackgroundColor {
    return this.#background;
  }
  set background(color: BackgroundColor) {
    this.linearBackground = parseColor('engine', 'background', color);
    this.#background = typeof color === 'string' ? color : [...color];
    this.onChange();
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
    this.#renderer = checkChoice('engine', 'renderer', name, RENDERERS);
    this.onChange();
  }

  get toneMapping(): ToneMapping {
    return this.#toneMapping;
  }

  /**
   * Resolves when its curve is there: the next frame shows it. Rejects with `part-missing`; the tone mapping is the one before then.
   * @throws OptionError `option-invalid`
   */
  setToneMapping(toneMapping: ToneMapping): Promise<void> {
    const before = this.#toneMapping;
    this.#toneMapping = checkChoice('engine', 'toneMapping', toneMapping, TONE_MAPPINGS);
    return this.loadToneCurve().catch((error: unknown) => {
      if (this.#toneMapping === toneMapping) this.#toneMapping = before;
      throw error;
    });
  }

  /** Resolves when `toneCurve` is that of `toneMapping`. */
  async loadToneCurve(): Promise<void> {
    let toneCurve = '';
    const toneMapping = this.#toneMapping;
    if (toneMapping !== 'none') {
      const { toneCurves } = await part('tone-curves', import('../../render/tone-curves.js'));
      toneCurve = toneCurves[toneMapping];
    }
    // Another one may have been chosen meanwhile.
    if (toneMapping !== this.#toneMapping) return;
    this.toneCurve = toneCurve;
    this.onChange();
  }
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
