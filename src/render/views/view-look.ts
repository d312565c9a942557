import type { StreamReader } from '../../core/streams/stream.js';
import { TRANSPARENCIES, ViewSetting } from '../../proxy/commands.js';
import { displayFormat } from '../keys/display-colors.js';
import { DEBUG_VIEW_RANGE, PassFormat } from '../keys/pass-format.js';
import { encodeChannel, NO_TONE_MAPPING } from '../keys/tone-curves.js';

/** The common look of views, as the game sets it. */
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
  /** Whether the last pass maps tones; otherwise surfaces map their own tones. */
  hdr: boolean;
  /** Index in `DEBUG_VIEWS`. */
  debugView: number;
  /** Index in `TRANSPARENCIES`. */
  transparency: number;
  /** Index in `SMOOTHINGS`. */
  smoothing: number;
  /** Factor on the width and the height in which scenes on canvases are drawn. */
  resolutionScale: number;
}

/** The look that one view has set. A setting whose bit is not set has the value of all views. */
export interface OwnLook extends Omit<LookSettings, 'hdr' | 'resolutionScale'> {
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
  debugView: 0,
  transparency: 0,
  smoothing: 0,
});

/** Reads the look of a view from a record: eleven words from `from` on, laid out as in `setAddedView`. */
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
  look.debugView = words[from + 8] as number;
  look.transparency = words[from + 9] as number;
  look.smoothing = words[from + 10] as number;
}

/** Factor of the `KeyPart`s in `ViewLook.key`, which lie above the bits of `ViewLook.format`. */
const KEY_PARTS = DEBUG_VIEW_RANGE * PassFormat.debugView;

const WEIGHTED = /* @__PURE__ */ TRANSPARENCIES.indexOf('weighted');

enum KeyPart {
  translucent = 1,
  overlay = 2,
  smoothing = 4,
  /** Factor of 0, 1 or 2: the picture is enlarged, shown as drawn, or reduced. */
  scaling = 16,
  shadowless = 48,
  toneMapping = 96,
}

/**
 * The look of one view (SYSTEMS G5), resolved from the settings of all views and its own. It is part of the
 * view's lasting state.
 *
 *   all views   background │ exposure │ tone mapping │ samples │ hdr │ debug view │ transparency
 *   own         background │ exposure │ tone mapping │ samples │     │ debug view │ transparency    bits: `ViewSetting`
 *                     └────────┴──── resolve ─────┴───────┴────────────────┴────────────┘
 *                          ▼
 *   bits of the pass format, style of the last pass, key of its pipelines
 *
 * The bit `ViewSetting.antialias` stands for samples and smoothing. All views have the common `resolutionScale`, except
 * overlays and debug views, which have 1.
 */
export class ViewLook {
  /** Background as its target holds it, not multiplied by alpha: linear, or sRGB without `hdr`. */
  readonly background = new Float64Array(4);
  /** Background without alpha, linear. */
  readonly linearBackground = new Float64Array(3);
  exposure = 1;
  /** Index in `TONE_MAPPINGS`. */
  toneMapping = NO_TONE_MAPPING;
  sampleCount = 1;
  /** Index in `SMOOTHINGS`. */
  smoothing = 0;
  hdr = true;
  /** Index in `DEBUG_VIEWS`; 0: the view shows the lit scene. */
  debugView = 0;
  /** Factor on the width and the height in which the scene is drawn, on a canvas. */
  resolutionScale = 1;
  /** Whether the view lies over the pictures beneath it, because its own background is translucent. */
  isOverlay = false;
  /** Whether the view shows shadows. */
  hasShadows = true;
  /** Bits of `PassFormat` that the look decides. */
  format = 0;
  /** Number that combines everything in the look on which pipelines depend. */
  key = -1;
  /** Key in the last frame; −1: the view is new. */
  #lastKey = -1;

  /**
   * Per command list: resolves the look.
   * @param common settings of all views
   * @param own settings of this view
   * @param hasUnmapped whether materials have colours that tone mapping must not change
   * @param isGraded whether an effect changes colours after tone mapping
   */
  resolve(common: LookSettings, own: OwnLook | undefined, hasUnmapped: boolean, isGraded = false): void {
    const bits = own?.own ?? 0;
    const ground = own && bits & ViewSetting.background ? own : common;
    const { hdr } = common;
    this.hdr = hdr;
    this.exposure = own && bits & ViewSetting.exposure ? own.exposure : common.exposure;
    this.toneMapping = own && bits & ViewSetting.toneMapping ? own.toneMapping : common.toneMapping;
    this.sampleCount = own && bits & ViewSetting.antialias ? own.sampleCount : common.sampleCount;
    this.smoothing = own && bits & ViewSetting.antialias ? own.smoothing : common.smoothing;
    this.linearBackground[0] = ground.red;
    this.linearBackground[1] = ground.green;
    this.linearBackground[2] = ground.blue;
    this.background[0] = hdr ? ground.red : encodeChannel(ground.red);
    this.background[1] = hdr ? ground.green : encodeChannel(ground.green);
    this.background[2] = hdr ? ground.blue : encodeChannel(ground.blue);
    this.background[3] = ground.alpha;
    this.isOverlay = ground !== common && ground.alpha < 1;
    this.debugView = own && bits & ViewSetting.debugView ? own.debugView : common.debugView;
    // Views over others hold texts and controls, and debug views show exact values.
    this.resolutionScale = this.isOverlay || this.debugView !== 0 ? 1 : common.resolutionScale;
    if (this.debugView !== 0) this.#showPlainly();
    const transparency = own && bits & ViewSetting.transparency ? own.transparency : common.transparency;
    this.hasShadows = !(bits & ViewSetting.shadowless);
    const isWeighted = transparency === WEIGHTED && this.debugView === 0;
    const changesTones = isGraded || this.exposure !== 1 || this.toneMapping !== NO_TONE_MAPPING;
    this.format =
      (this.sampleCount > 1 ? PassFormat.multisampled : 0) |
      (hdr ? 0 : displayFormat(this.toneMapping)) |
      // Unmapped colours need a target of their own if the last pass changes tones.
      (hdr && changesTones && hasUnmapped ? PassFormat.unmappedTarget : 0) |
      (isWeighted ? PassFormat.weighted : 0) |
      (this.debugView * PassFormat.debugView);
    const parts =
      (this.isTranslucent ? KeyPart.translucent : 0) +
      (this.isOverlay ? KeyPart.overlay : 0) +
      this.smoothing * KeyPart.smoothing +
      (1 + Math.sign(this.resolutionScale - 1)) * KeyPart.scaling +
      (this.hasShadows ? 0 : KeyPart.shadowless) +
      this.toneMapping * KeyPart.toneMapping;
    this.key = this.format + parts * KEY_PARTS;
  }

  /** Replaces settings that would change the colours of a debug view. */
  #showPlainly(): void {
    this.background.fill(0);
    this.background[3] = 1;
    this.isOverlay = false;
    this.smoothing = 0;
    this.exposure = 1;
    this.toneMapping = NO_TONE_MAPPING;
  }

  /** Whether blended surfaces are added up with weights. */
  get isWeighted(): boolean {
    return (this.format & PassFormat.weighted) !== 0;
  }

  get isTranslucent(): boolean {
    return (this.background[3] as number) < 1;
  }

  /** Whether colours that the last pass must not change have a target of their own. */
  get hasUnmappedTarget(): boolean {
    return (this.format & PassFormat.unmappedTarget) !== 0;
  }

  /**
   * Returns whether the next frame needs other pipelines for the view than the last frame. A new view is compared with
   * `common`.
   * @param common look of all views; its pipelines exist already
   */
  isRestyled({ key }: ViewLook): boolean {
    return this.key !== (this.#lastKey < 0 ? key : this.#lastKey);
  }

  /**
   * Per frame: stores the key with which the next frame's look is compared. Also called if the view is not drawn,
   * because a hidden view must not make every frame wait.
   */
  endChange(): void {
    this.#lastKey = this.key;
  }
}
