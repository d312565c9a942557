import { checkBoolean } from '../../core/options/check-value.js';
import { checkMember, type Member } from '../../core/options/member.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import {
  DEBUG_VIEWS,
  type DebugView,
  TONE_MAPPINGS,
  type ToneMapping,
  TRANSPARENCIES,
  type Transparency,
  ViewSetting,
} from '../../proxy/commands.js';
import {
  type Antialias,
  type BackgroundColor,
  LOOK,
  type ShownAntialias,
  sampleCountOf,
  shownAntialias,
  smoothingOf,
} from '../../proxy/look.js';
import { parseColor } from '../materials/color.js';

/** Number of words that `ViewLook.write` writes. */
export const LOOK_WORDS = 11;

/**
 * The look that a page has set on one view. A setting that is `undefined` is taken from the engine, which may change
 * it later.
 *
 *   view.exposure = 2 ─► check ─► setAddedView:
 *      own │ background │ exposure │ samples │ tone mapping │ debug view │ transparency │ smoothing
 */
export class ViewLook {
  #background: BackgroundColor | undefined;
  #linearBackground: readonly number[] = [0, 0, 0, 1];
  #exposure: number | undefined;
  #toneMapping: ToneMapping | undefined;
  #antialias: ShownAntialias | undefined;
  #debugView: DebugView | undefined;
  #transparency: Transparency | undefined;
  #shadows = true;
  readonly #beforeChange: (property: string) => void;

  /** @param beforeChange called before each change; if it throws, nothing changes */
  constructor(beforeChange: (property: string) => void) {
    this.#beforeChange = beforeChange;
  }

  get background(): BackgroundColor | undefined {
    return this.#background;
  }
  set background(color: BackgroundColor | undefined) {
    const linear = color === undefined ? this.#linearBackground : parseColor('a view', 'background', color);
    this.#beforeChange('background');
    this.#linearBackground = linear;
    this.#background = typeof color === 'object' ? [...color] : color;
  }

  get exposure(): number | undefined {
    return this.#exposure;
  }
  set exposure(factor: number | undefined) {
    this.#exposure = this.#checked('exposure', factor, LOOK.exposure);
  }

  get toneMapping(): ToneMapping | undefined {
    return this.#toneMapping;
  }
  set toneMapping(toneMapping: ToneMapping | undefined) {
    this.#toneMapping = this.#checked('toneMapping', toneMapping, LOOK.toneMapping);
  }

  get antialias(): ShownAntialias | undefined {
    return this.#antialias;
  }
  set antialias(value: Antialias | undefined) {
    const checked = this.#checked('antialias', value, LOOK.antialias);
    this.#antialias = checked === undefined ? undefined : shownAntialias(checked);
  }

  get debugView(): DebugView | undefined {
    return this.#debugView;
  }
  set debugView(name: DebugView | undefined) {
    this.#debugView = this.#checked('debugView', name, LOOK.debugView);
  }

  get transparency(): Transparency | undefined {
    return this.#transparency;
  }
  set transparency(transparency: Transparency | undefined) {
    this.#transparency = this.#checked('transparency', transparency, LOOK.transparency);
  }

  get shadows(): boolean {
    return this.#shadows;
  }
  set shadows(isOn: boolean) {
    const checked = checkBoolean('a view', 'shadows', isOn);
    this.#beforeChange('shadows');
    this.#shadows = checked;
  }

  /** Per change: writes the fields from `own` to `smoothing`. @param at index of the first word */
  write({ words, floats }: StreamWriter, at: number): void {
    words[at] =
      (this.#background === undefined ? 0 : ViewSetting.background) |
      (this.#exposure === undefined ? 0 : ViewSetting.exposure) |
      (this.#toneMapping === undefined ? 0 : ViewSetting.toneMapping) |
      (this.#antialias === undefined ? 0 : ViewSetting.antialias) |
      (this.#debugView === undefined ? 0 : ViewSetting.debugView) |
      (this.#transparency === undefined ? 0 : ViewSetting.transparency) |
      (this.#shadows ? 0 : ViewSetting.shadowless);
    for (let channel = 0; channel < 4; channel++) {
      floats[at + 1 + channel] = this.#linearBackground[channel] as number;
    }
    floats[at + 5] = this.#exposure ?? 1;
    words[at + 6] = sampleCountOf(this.#antialias ?? 1);
    words[at + 7] = TONE_MAPPINGS.indexOf(this.#toneMapping ?? 'none');
    words[at + 8] = DEBUG_VIEWS.indexOf(this.#debugView ?? 'none');
    words[at + 9] = TRANSPARENCIES.indexOf(this.#transparency ?? 'sorted');
    words[at + 10] = smoothingOf(this.#antialias ?? 1);
  }

  /** @throws OptionError `option-invalid`, `option-out-of-range` */
  #checked<Value>(name: string, value: Value | undefined, row: Member<Value>): Value | undefined {
    const checked = value === undefined ? undefined : checkMember('a view', name, value, row);
    this.#beforeChange(name);
    return checked;
  }
}
