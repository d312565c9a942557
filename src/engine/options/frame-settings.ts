import type { StreamWriter } from '../../core/streams/stream.js';
import type { EffectSettings, Effects } from '../../game/effects/effect-settings.js';
import { writeWords } from '../../game/updates/write-record.js';
import {
  DEBUG_VIEWS,
  type DebugView,
  NO_ID,
  RENDERERS,
  type RendererName,
  RenderFrameFlag,
  RenderOpcode,
  TONE_MAPPINGS,
  type ToneMapping,
  TRANSPARENCIES,
  type Transparency,
} from '../../proxy/commands.js';
import { type ShownAntialias, sampleCountOf, smoothingOf } from '../../proxy/look.js';
import { ResolutionFollower } from './resolution-follower.js';
import type { ShownResolutionScale } from './resolution-scale.js';

/** The current settings of the picture's output. */
export interface OutputSettings {
  /** The background's red, green, blue and alpha, linear. */
  readonly linearBackground: readonly number[];
  /** Factor on all light. */
  readonly exposure: number;
  readonly antialias: ShownAntialias;
  readonly renderer: RendererName;
  readonly toneMapping: ToneMapping;
  /** Whether the last pass applies tone mapping. If false, the shaders of surfaces apply it. */
  readonly hdr: boolean;
  readonly debugView: DebugView;
  readonly transparency: Transparency;
  readonly resolutionScale: ShownResolutionScale;
  readonly effects: EffectSettings<Effects>;
}

/** Size in physical pixels. */
export interface SurfaceSize {
  readonly width: number;
  readonly height: number;
}

/** The size of a surface. A hidden surface has no size, so `shown` keeps its last visible size for captures. */
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
  readonly #resolution = new ResolutionFollower();
  readonly #gpuMs: () => number;
  /** Scale of the resolution as last sent. */
  resolutionScale = 1;

  /** @param gpuMs returns the GPU time of an earlier frame in milliseconds; NaN: unknown */
  constructor(surface: MeasuredSurface, output: OutputSettings, gpuMs = (): number => Number.NaN) {
    this.#surface = surface;
    this.output = output;
    this.#gpuMs = gpuMs;
  }

  /** Marks all settings as not sent, because other threads take over. */
  resend(): void {
    this.#sentWidth = this.#sentHeight = -1;
    this.isOutputDirty = true;
    this.#sentRenderer = 'forward';
    this.output.effects.resend();
  }

  /**
   * Keeps the GPU times of the next frames from changing the resolution. Called when a frame has much work besides its
   * picture.
   */
  ignoreGpuTimes(): void {
    this.#resolution.settle();
  }

  /** Whether the surface's size differs from that of the last frame. */
  get isSurfaceDirty(): boolean {
    return this.#sentWidth !== this.#surface.width || this.#sentHeight !== this.#surface.height;
  }

  /**
   * Writes the changed settings into the frame. Called per frame. A captured frame of a hidden surface gets the
   * surface's last visible size.
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
    const isRunning = (flags & RenderFrameFlag.running) !== 0;
    const scale = this.#resolution.next(this.output.resolutionScale, isRunning, this.#gpuMs);
    if (this.isOutputDirty || scale !== this.resolutionScale) {
      this.resolutionScale = scale;
      this.isOutputDirty = false;
      this.#writeOutput(writer);
    }
    this.output.effects.sendActors(writer, NO_ID);
    if (this.requests.length > 0) for (const write of this.requests.splice(0)) write(writer);
  }

  #writeOutput(writer: StreamWriter): void {
    const { linearBackground, exposure, antialias, toneMapping, hdr, renderer, effects } = this.output;
    const field = writer.reserve(RenderOpcode.sceneSettings, 12);
    for (let channel = 0; channel < 4; channel++) {
      writer.floats[field + channel] = linearBackground[channel] as number;
    }
    writer.floats[field + 4] = exposure;
    writer.words[field + 5] = sampleCountOf(antialias);
    writer.words[field + 6] = TONE_MAPPINGS.indexOf(toneMapping);
    writer.words[field + 9] = smoothingOf(antialias);
    writer.words[field + 10] = Number(hdr);
    writer.floats[field + 11] = this.resolutionScale;
    writer.words[field + 7] = DEBUG_VIEWS.indexOf(this.output.debugView);
    writer.words[field + 8] = TRANSPARENCIES.indexOf(this.output.transparency);
    if (renderer !== this.#sentRenderer) {
      this.#sentRenderer = renderer;
      writeWords(writer, RenderOpcode.setRenderer, 1, RENDERERS.indexOf(renderer));
    }
    effects.write(writer, NO_ID);
  }
}
