import type { StreamReader } from '../../core/streams/stream.js';
import { ViewSetting } from '../../proxy/commands.js';
import { displayFormat } from '../keys/display-colors.js';
import { DISPLAY_RANGE, PassFormat } from '../keys/pass-format.js';
import { encodeChannel, NO_TONE_MAPPING } from '../keys/tone-curves.js';

/** The look of all views, as the game sets it. */
export interface LookSettings {
  /** Red of the background, linear, not multiplied by alpha. */
  red: number;
  green: number;
  blue: number;
  alpha: number;
  /** Factor on scene colour. */
  exposure: number;
  /** Index in `TONE_MAPPINGS`. */
  toneMapping: number;
  /** Samples per pixel: 1 or 4. */
  sampleCount: number;
  /** Whether the last pass maps tones; otherwise surfaces map their own. */
  hdr: boolean;
}

/** The look that one view has set. A setting without its bit is that of all views. */
export interface OwnLook extends Omit<LookSettings, 'hdr'> {
  /** Bits of `ViewSetting`. */
  own: number;
}

/** Returns the settings of a view that has set nothing. */
export const createOwnLook = (): OwnLook => ({
  own: 0,
  red: 0,
  green: 0,
  blue: 0,
  alpha: 1,
  exposure: 1,
  toneMapping: NO_TONE_MAPPING,
  sampleCount: 1,
});

/** Reads the look of a view from a record: eight words from `from` on, laid out as in `setAddedView`. */
export function readOwnLook(
  { words, floats }: Pick<StreamReader, 'words' | 'floats'>,
  from: number,
  look: OwnLook,
): void {
  look.own = words[from] as number;
  look.red = floats[from + 1] as number;
  look.green = floats[from + 2] as number;
  look.blue = floats[from + 3] as number;
  look.alpha = floats[from + 4] as number;
  look.exposure = floats[from + 5] as number;
  look.sampleCount = words[from + 6] as number;
  look.toneMapping = words[from + 7] as number;
}

/** Parts of `ViewLook.key` above the bits of `ViewLook.format`. */
const KEY_PARTS = DISPLAY_RANGE * PassFormat.displayed;

enum KeyPart {
  translucent = 1,
  overlay = 2,
  toneMapping = 4,
}

/**
 * The look of one view (SYSTEMS G5), resolved from the settings of all views and its own. It is part of the
 * view's lasting state.
 *
 *   all views   background │ exposure │ tone mapping │ samples │ hdr
 *   own                    │ exposure │              │ samples │         `ViewSetting` says which
 *                     └────────┴──── resolve ─────┴───────┘
 *                          ▼
 *   bits of the pass format, style of the last pass, key of its pipelines
 */
export class ViewLook {
  /** Background as its target holds it, not multiplied by alpha: linear, or sRGB without `hdr`. */
  readonly background = new Float64Array(4);
  exposure = 1;
  /** Index in `TONE_MAPPINGS`. */
  toneMapping = NO_TONE_MAPPING;
  sampleCount = 1;
  hdr = true;
  /** Whether the view lies over the pictures beneath it, because its own background is translucent. */
  isOverlay = false;
  /** Bits of `PassFormat` that the look decides. */
  format = 0;
  /** Number of everything on which pipelines depend. */
  key = -1;
  /** Key in the last frame; −1: the view is new. */
  #lastKey = -1;

  /**
   * Per list: resolves the look.
   * @param common settings of all views
   * @param own settings of this view
   * @param hasUnmapped whether materials have colours that tone mapping must not change
   */
  resolve(common: LookSettings, own: OwnLook | undefined, hasUnmapped: boolean): void {
    const bits = own?.own ?? 0;
    const ground = own && bits & ViewSetting.background ? own : common;
    const { hdr } = common;
    this.hdr = hdr;
    this.exposure = own && bits & ViewSetting.exposure ? own.exposure : common.exposure;
    this.toneMapping = own && bits & ViewSetting.toneMapping ? own.toneMapping : common.toneMapping;
    this.sampleCount = own && bits & ViewSetting.antialias ? own.sampleCount : common.sampleCount;
    this.background[0] = hdr ? ground.red : encodeChannel(ground.red);
    this.background[1] = hdr ? ground.green : encodeChannel(ground.green);
    this.background[2] = hdr ? ground.blue : encodeChannel(ground.blue);
    this.background[3] = ground.alpha;
    this.isOverlay = ground !== common && ground.alpha < 1;
    const changesTones = this.exposure !== 1 || this.toneMapping !== NO_TONE_MAPPING;
    this.format =
      (this.sampleCount > 1 ? PassFormat.multisampled : 0) |
      (hdr ? 0 : displayFormat(this.toneMapping)) |
      // Unmapped colours need a target of their own if the last pass changes tones.
      (hdr && changesTones && hasUnmapped ? PassFormat.unmappedTarget : 0);
    const parts =
      (this.isTranslucent ? KeyPart.translucent : 0) +
      (this.isOverlay ? KeyPart.overlay : 0) +
      this.toneMapping * KeyPart.toneMapping;
    this.key = this.format + parts * KEY_PARTS;
  }

  get isTranslucent(): boolean {
    return (this.background[3] as number) < 1;
  }

  /** Whether the pictures of the view show colours that its last pass leaves as they are. */
  get hasUnmappedTarget(): boolean {
    return (this.format & PassFormat.unmappedTarget) !== 0;
  }

  /**
   * Returns whether the next frame needs other pipelines for the view than the last frame.
   * @param common look of all views, which have pipelines for it
   */
  isRestyled({ key }: ViewLook): boolean {
    return this.key !== (this.#lastKey < 0 ? key : this.#lastKey);
  }

  /** Per frame, also if the view is not drawn: a hidden view must not make every frame wait. */
  endChange(): void {
    this.#lastKey = this.key;
  }
}
