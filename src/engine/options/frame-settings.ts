import type { StreamWriter } from '../../core/streams/stream.js';
import type { EffectSettings, Effects } from '../../game/effects/effect-settings.js';
import { encodeText, writeText, writeWords } from '../../game/updates/write-record.js';
import { NO_ID, RENDERERS, type RendererName, RenderFrameFlag, RenderOpcode } from '../../proxy/commands.js';

/** The current settings of the picture's output. */
export interface OutputSettings {
  /** The background's red, green, blue and alpha: linear, or sRGB with a `displayCode`. */
  readonly shownBackground: readonly number[];
  /** Factor on all light. */
  readonly exposure: number;
  readonly sampleCount: 1 | 4;
  readonly renderer: RendererName;
  /** WGSL of the tone mapping; empty for none. */
  readonly toneCurve: string;
  /** WGSL that lets surfaces tone-map themselves; empty with `hdr`. */
  readonly displayCode: string;
  readonly effects: EffectSettings<Effects>;
}

/** Size in physical pixels. */
export interface SurfaceSize {
  readonly width: number;
  readonly height: number;
}

/** A surface, which has no size while it is hidden. `shown` keeps its last visible size for captures. */
export interface MeasuredSurface extends SurfaceSize {
  /** Physical pixels per CSS pixel; null follows the window's ratio. */
  readonly pixelRatio?: number | null;
  readonly shown: SurfaceSize;
}

/** Settings of the render thread outside the world. The first frame after a change sends the changed settings. */
export class FrameSettings {
  isOutputDirty = true;
  readonly output: OutputSettings;
  /** Functions that write commands into the next frame, once. */
  readonly requests: ((writer: StreamWriter) => void)[] = [];
  readonly #surface: MeasuredSurface;
  /** Surface width as last sent to the current threads; -1 if not sent yet. */
  #sentWidth = -1;
  /** Surface height as last sent to the current threads; -1 if not sent yet. */
  #sentHeight = -1;
  /** Tone curve as last sent to the current threads; null if not sent yet. */
  #sentToneCurve: string | null = null;
  #sentDisplayCode = '';
  #sentRenderer: RendererName = 'forward';

  constructor(surface: MeasuredSurface, output: OutputSettings) {
    this.#surface = surface;
    this.output = output;
  }

  /** Marks all settings as not sent, because other threads take over. */
  resend(): void {
    this.#sentWidth = this.#sentHeight = -1;
    this.isOutputDirty = true;
    this.#sentToneCurve = null;
    this.#sentRenderer = 'forward';
    this.output.effects.resend();
  }

  /** Whether the surface's size differs from that of the last frame. */
  get isSurfaceDirty(): boolean {
    return this.#sentWidth !== this.#surface.width || this.#sentHeight !== this.#surface.height;
  }

  /**
   * Writes the changed settings into the frame. Called per frame. A captured frame of a hidden surface gets its last
   * visible size.
   * @param flags bits of `RenderFrameFlag`
   */
  write(writer: StreamWriter, flags: number): void {
    const { width, height } = flags & RenderFrameFlag.capture ? this.#surface.shown : this.#surface;
    if (width !== this.#sentWidth || height !== this.#sentHeight) {
      this.#sentWidth = width;
      this.#sentHeight = height;
      const field = writer.reserve(RenderOpcode.surfaceSize, 3);
      writer.words[field] = width;
      writer.words[field + 1] = height;
      writer.floats[field + 2] = this.#surface.pixelRatio ?? globalThis.devicePixelRatio ?? 1;
    }
    if (this.isOutputDirty) {
      this.isOutputDirty = false;
      this.#writeOutput(writer);
    }
    if (this.requests.length > 0) for (const write of this.requests.splice(0)) write(writer);
  }

  #writeOutput(writer: StreamWriter): void {
    const { shownBackground, exposure, sampleCount, renderer, toneCurve, displayCode, effects } = this.output;
    const field = writer.reserve(RenderOpcode.sceneSettings, 6);
    for (let channel = 0; channel < 4; channel++) {
      writer.floats[field + channel] = shownBackground[channel] as number;
    }
    writer.floats[field + 4] = exposure;
    writer.words[field + 5] = sampleCount;
    if (renderer !== this.#sentRenderer) {
      this.#sentRenderer = renderer;
      writeWords(writer, RenderOpcode.setRenderer, 1, RENDERERS.indexOf(renderer));
    }
    effects.write(writer, NO_ID);
    if (toneCurve === this.#sentToneCurve && displayCode === this.#sentDisplayCode) return;
    this.#sentToneCurve = toneCurve;
    this.#sentDisplayCode = displayCode;
    const code = encodeText(toneCurve);
    const display = encodeText(displayCode);
    const codeWords = 1 + ((code.length + 3) >> 2);
    const at = writer.reserve(RenderOpcode.setToneCurve, codeWords + 1 + ((display.length + 3) >> 2));
    writeText(writer.words, at, code);
    writeText(writer.words, at + codeWords, display);
  }
}
