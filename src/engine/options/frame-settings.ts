import type { StreamWriter } from '../../core/streams/stream.js';
import type { EffectSettings, Effects } from '../../game/effects/effect-settings.js';
import { writeWords } from '../../game/updates/write-record.js';
import {
  NO_ID,
  RENDERERS,
  type RendererName,
  RenderFrameFlag,
  RenderOpcode,
  TONE_MAPPINGS,
  type ToneMapping,
} from '../../proxy/commands.js';

/** The current settings of the picture's output. */
export interface OutputSettings {
  /** The background's red, green, blue and alpha, linear. */
  readonly linearBackground: readonly number[];
  /** Factor on all light. */
  readonly exposure: number;
  readonly sampleCount: 1 | 4;
  readonly renderer: RendererName;
  readonly toneMapping: ToneMapping;
  /** Whether the last pass maps tones; otherwise surfaces map their own. */
  readonly hdr: boolean;
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
  #sentRenderer: RendererName = 'forward';

  constructor(surface: MeasuredSurface, output: OutputSettings) {
    this.#surface = surface;
    this.output = output;
  }

  /** Marks all settings as not sent, because other threads take over. */
  resend(): void {
    this.#sentWidth = this.#sentHeight = -1;
    this.isOutputDirty = true;
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
    const { linearBackground, exposure, sampleCount, toneMapping, hdr, renderer, effects } = this.output;
    const field = writer.reserve(RenderOpcode.sceneSettings, 8);
    for (let channel = 0; channel < 4; channel++) {
      writer.floats[field + channel] = linearBackground[channel] as number;
    }
    writer.floats[field + 4] = exposure;
    writer.words[field + 5] = sampleCount;
    writer.words[field + 6] = TONE_MAPPINGS.indexOf(toneMapping);
    writer.words[field + 7] = Number(hdr);
    if (renderer !== this.#sentRenderer) {
      this.#sentRenderer = renderer;
      writeWords(writer, RenderOpcode.setRenderer, 1, RENDERERS.indexOf(renderer));
    }
    effects.write(writer, NO_ID);
  }
}
