import type { StreamWriter } from '../../core/stream.js';
import { encodeText, writeText } from '../../game/write-record.js';
import { RenderOpcode } from '../../proxy/commands.js';

/** How the picture is brought to the surface, as it is now. */
export interface OutputSettings {
  /** Linear red, green, blue, and alpha. */
  readonly linearBackground: readonly number[];
  /** Factor on all light. */
  readonly exposure: number;
  readonly sampleCount: 1 | 4;
  /** WGSL; empty: none. */
  readonly toneCurve: string;
}

/** What the render thread has to know beside the world, sent within the first frame after a change. */
export class FrameSettings {
  isSurfaceDirty = true;
  isOutputDirty = true;
  readonly output: OutputSettings;
  readonly #surface: { readonly width: number; readonly height: number };
  /** What the threads there are were told last; null: nothing. */
  #sentToneCurve: string | null = null;

  /** @param surface its size in physical pixels, read when it is dirty */
  constructor(surface: { readonly width: number; readonly height: number }, output: OutputSettings) {
    this.#surface = surface;
    this.output = output;
  }

  /** Other threads take over, which know nothing yet. */
  resend(): void {
    this.isSurfaceDirty = this.isOutputDirty = true;
    this.#sentToneCurve = null;
  }

  /** Per frame, inside the frame. */
  write(writer: StreamWriter): void {
    if (this.isSurfaceDirty) {
      this.isSurfaceDirty = false;
      const field = writer.reserve(RenderOpcode.surfaceSize, 2);
      writer.words[field] = this.#surface.width;
      writer.words[field + 1] = this.#surface.height;
    }
    if (this.isOutputDirty) {
      this.isOutputDirty = false;
      this.#writeOutput(writer);
    }
  }

  #writeOutput(writer: StreamWriter): void {
    const { linearBackground, exposure, sampleCount, toneCurve } = this.output;
    const field = writer.reserve(RenderOpcode.sceneSettings, 6);
    for (let channel = 0; channel < 4; channel++) {
      writer.floats[field + channel] = linearBackground[channel] as number;
    }
    writer.floats[field + 4] = exposure;
    writer.words[field + 5] = sampleCount;
    if (toneCurve === this.#sentToneCurve) return;
    this.#sentToneCurve = toneCurve;
    const code = encodeText(toneCurve);
    const at = writer.reserve(RenderOpcode.setToneCurve, 1 + ((code.length + 3) >> 2));
    writeText(writer.words, at, code);
  }
}
