import { checkOptions } from '../../core/options/check-options.js';
import { checkNumber } from '../../core/options/check-value.js';
import type { Shaped } from '../../core/options/member.js';
import { anything } from '../../core/options/members.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { RenderOpcode } from '../../proxy/commands.js';
import { type ColorLike, parseColor } from '../materials/color.js';

/** Options of a light with one colour from above and one from below. `parseColor` checks the colours. */
const HEMISPHERE = { sky: anything<ColorLike>(), ground: anything<ColorLike>() };

/** The colour of ambient light: one colour from everywhere, or one from above and another from below. */
export type AmbientColor = ColorLike | Shaped<typeof HEMISPHERE>;

/** Light without a direction, sent when it has changed. */
export class AmbientLight {
  /** Linear colour multiplied by intensity: from above, then from below. */
  readonly #colors = new Float32Array(6);
  isDirty = false;

  /** @throws OptionError */
  set(color: AmbientColor, intensity: number): void {
    const call = 'setAmbient';
    // The maximum is the same as for other lights. It keeps the product of colour and intensity finite.
    const factor = checkNumber(call, 'intensity', intensity, 0, 1e30);
    const isHemisphere = typeof color === 'object' && color !== null && !('length' in color);
    if (isHemisphere) checkOptions(call, color, HEMISPHERE);
    const sky = parseColor(call, isHemisphere ? 'sky' : 'color', isHemisphere ? color.sky : color);
    const ground = isHemisphere ? parseColor(call, 'ground', color.ground) : sky;
    for (let channel = 0; channel < 3; channel++) {
      this.#colors[channel] = (sky[channel] as number) * factor;
      this.#colors[3 + channel] = (ground[channel] as number) * factor;
    }
    this.isDirty = true;
  }

  /** Per frame: sends the light if it has changed. */
  send(writer: StreamWriter): void {
    if (!this.isDirty) return;
    this.isDirty = false;
    const at = writer.reserve(RenderOpcode.setAmbient, this.#colors.length);
    writer.floats.set(this.#colors, at);
  }
}
