import { OptionError } from '../../core/errors.js';
import { checkMember } from '../../core/options/member.js';
import { EffectSettings, type Effects } from '../../game/effects/effect-settings.js';
import { parseColor } from '../../game/materials/color.js';
import type { DebugView, RendererName, ToneMapping, Transparency } from '../../proxy/commands.js';
import {
  type Antialias,
  type BackgroundColor,
  type ShownAntialias,
  shownAntialias,
} from '../../proxy/look.js';
import { ENGINE_OPTIONS, type ResolvedOptions } from './engine-options.js';
import type { OutputSettings } from './frame-settings.js';
import { checkResolutionScale, type ResolutionScale, type ShownResolutionScale } from './resolution-scale.js';

/**
 * The look of the picture, apart from the scene. It checks each value that the page assigns, and converts it for the
 * next frame. The object outlives the engine's threads, so that the picture looks the same on new threads.
 */
export class Look implements OutputSettings {
  #linearBackground: readonly number[];
  /**
   * Called after every change of a property, and before every change of effects. An error that it throws prevents a
   * change of effects.
   */
  onChange = (): void => {};
  readonly effects = new EffectSettings<Effects>('engine', false, () => this.onChange());
  #background: BackgroundColor;
  #exposure: number;
  #antialias: ShownAntialias;
  #hdr: boolean;
  #toneMapping: ToneMapping;
  #renderer: RendererName;
  #debugView: DebugView;
  #transparency: Transparency;
  #resolutionScale: ShownResolutionScale;

  /** @throws OptionError `color-invalid`, `option-invalid` */
  constructor(options: ResolvedOptions) {
    const { background, exposure, antialias, hdr, toneMapping, renderer, debugView, effects } = options;
    checkPair(hdr, renderer);
    this.#linearBackground = parseColor('createEngine', 'background', background);
    this.#background = background;
    this.#exposure = exposure;
    this.#antialias = antialias;
    this.#hdr = hdr;
    this.#toneMapping = toneMapping;
    this.#renderer = renderer;
    this.#debugView = debugView;
    this.#transparency = options.transparency;
    this.#resolutionScale = checkResolutionScale('createEngine', options.resolutionScale);
    if (effects) this.effects.assign(effects, 'createEngine');
  }

  get background(): BackgroundColor {
    return this.#background;
  }
  set background(color: BackgroundColor) {
    this.#linearBackground = parseColor('engine', 'background', color);
    this.#background = typeof color === 'string' ? color : [...color];
    this.onChange();
  }

  get exposure(): number {
    return this.#exposure;
  }
  set exposure(factor: number) {
    this.#exposure = checkMember('engine', 'exposure', factor, ENGINE_OPTIONS.exposure);
    this.onChange();
  }

  get antialias(): ShownAntialias {
    return this.#antialias;
  }
  set antialias(value: Antialias) {
    this.#antialias = shownAntialias(checkMember('engine', 'antialias', value, ENGINE_OPTIONS.antialias));
    this.onChange();
  }

  get renderer(): RendererName {
    return this.#renderer;
  }
  set renderer(name: RendererName) {
    checkPair(this.#hdr, checkMember('engine', 'renderer', name, ENGINE_OPTIONS.renderer));
    this.#renderer = name;
    this.onChange();
  }

  get hdr(): boolean {
    return this.#hdr;
  }
  set hdr(hdr: boolean) {
    checkPair(checkMember('engine', 'hdr', hdr, ENGINE_OPTIONS.hdr), this.#renderer);
    this.#hdr = hdr;
    this.onChange();
  }

  get toneMapping(): ToneMapping {
    return this.#toneMapping;
  }
  set toneMapping(toneMapping: ToneMapping) {
    this.#toneMapping = checkMember('engine', 'toneMapping', toneMapping, ENGINE_OPTIONS.toneMapping);
    this.onChange();
  }

  get debugView(): DebugView {
    return this.#debugView;
  }
  set debugView(name: DebugView) {
    this.#debugView = checkMember('engine', 'debugView', name, ENGINE_OPTIONS.debugView);
    this.onChange();
  }

  get transparency(): Transparency {
    return this.#transparency;
  }
  set transparency(transparency: Transparency) {
    this.#transparency = checkMember('engine', 'transparency', transparency, ENGINE_OPTIONS.transparency);
    this.onChange();
  }

  get resolutionScale(): ShownResolutionScale {
    return this.#resolutionScale;
  }
  set resolutionScale(scale: ResolutionScale) {
    this.#resolutionScale = checkResolutionScale('engine', scale);
    this.onChange();
  }

  /** Red, green, blue and alpha of the background, as they are sent. */
  get linearBackground(): readonly number[] {
    return this.#linearBackground;
  }
}

/**
 * Rejects the deferred renderer without `hdr`, because it accumulates light in half floats.
 * @throws OptionError `option-invalid`
 */
function checkPair(hdr: boolean, renderer: RendererName): void {
  if (hdr || renderer === 'forward') return;
  throw new OptionError(
    'option-invalid',
    `The renderer '${renderer}' adds up light in half floats, so it can't be combined with hdr: false.`,
  );
}
