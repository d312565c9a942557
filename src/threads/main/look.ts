import { OptionError } from '../../core/errors.js';
import { part } from '../../core/lazily.js';
import { parseColor } from '../../game/color.js';
import { checkChoice, checkNumber } from '../../game/options.js';
import { RENDERERS, type RendererName, TONE_MAPPINGS, type ToneMapping } from '../../proxy/commands.js';
import type { BackgroundColor, ResolvedOptions } from './engine-options.js';
import type { OutputSettings } from './frame-settings.js';

type ToneCodes = typeof import('../../render/tone-curves.js');

/**
 * How the picture looks, apart from what is in the scene: each value as the page has set it, checked, and as it is sent
 * with the next frame. It belongs to the engine and outlives threads, so a picture looks the same after a change of them.
 *
 * A tone mapping and `hdr` are told apart from their code, which is WGSL that is fetched when it is first asked for: until then the
 * picture keeps the tones that it has.
 */
export class Look implements OutputSettings {
  shownBackground: readonly number[];
  toneCurve = '';
  displayCode = '';
  #linearBackground: readonly number[];
  #encode: (linear: readonly number[]) => readonly number[] = (linear) => linear;
  /** Once loaded, tone mapping and `hdr` change at once. */
  #codes: ToneCodes | null = null;
  readonly #loadCodes: () => Promise<ToneCodes>;
  /** Called after every change. */
  onChange = (): void => {};
  #background: BackgroundColor;
  #exposure: number;
  #antialias: 1 | 4;
  #hdr: boolean;
  #toneMapping: ToneMapping;
  #renderer: RendererName;

  /** @throws OptionError `color-invalid` */
  constructor(
    { background, exposure, sampleCount, hdr, toneMapping, renderer }: ResolvedOptions,
    loadCodes: () => Promise<ToneCodes> = () => import('../../render/tone-curves.js'),
  ) {
    this.#loadCodes = loadCodes;
    checkPair(hdr, renderer);
    this.#linearBackground = this.shownBackground = parseColor('createEngine', 'background', background);
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
    this.shownBackground = this.#encode(this.#linearBackground);
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
    checkPair(this.#hdr, checkChoice('engine', 'renderer', name, RENDERERS));
    this.#renderer = name;
    this.onChange();
  }

  get hdr(): boolean {
    return this.#hdr;
  }

  /** As `setToneMapping`. */
  setHdr(hdr: boolean): Promise<void> {
    if (typeof hdr !== 'boolean') {
      throw new OptionError(
        'option-invalid',
        `hdr of engine is ${JSON.stringify(hdr)}; it has to be true or false.`,
      );
    }
    checkPair(hdr, this.#renderer);
    this.#hdr = hdr;
    return this.#load(() => {
      if (this.#hdr === hdr) this.#hdr = true;
    });
  }

  get toneMapping(): ToneMapping {
    return this.#toneMapping;
  }

  /**
   * Resolves when its curve is there: the next frame shows it. Rejects with `part-missing`; it is `'none'` then, which alone goes without code.
   * @throws OptionError `option-invalid`
   */
  setToneMapping(toneMapping: ToneMapping): Promise<void> {
    this.#toneMapping = checkChoice('engine', 'toneMapping', toneMapping, TONE_MAPPINGS);
    return this.#load(() => {
      if (this.#toneMapping === toneMapping) this.#toneMapping = 'none';
    });
  }

  #load(takeBack: () => void): Promise<void> {
    return this.loadTones().catch((error: unknown) => {
      takeBack();
      throw error;
    });
  }

  /** Resolves when `toneCurve` and `displayCode` are those of `toneMapping` and `hdr`. */
  async loadTones(): Promise<void> {
    if (this.#needsCodes) {
      try {
        this.#codes ??= await part('tone-curves', this.#loadCodes());
      } catch (error) {
        // Another call's load may have brought them meanwhile.
        if (!this.#codes) throw error;
      }
    }
    // What has been chosen meanwhile needs them, and loads them itself.
    if (this.#needsCodes && !this.#codes) return;
    const codes = this.#needsCodes ? this.#codes : null;
    const hdr = this.#hdr;
    this.toneCurve = codes?.toneCurves[this.#toneMapping] ?? '';
    this.displayCode = hdr || !codes ? '' : codes.displayCodeOf(this.toneCurve);
    this.#encode = hdr || !codes ? (linear) => linear : codes.encodeColor;
    this.shownBackground = this.#encode(this.#linearBackground);
    this.onChange();
  }

  get #needsCodes(): boolean {
    return this.#toneMapping !== 'none' || !this.#hdr;
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
