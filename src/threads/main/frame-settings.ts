import type { StreamWriter } from '../../core/stream.js';
import { RenderOpcode } from '../../proxy/commands.js';

/** How the picture is brought to the surface. */
export interface OutputSettings {
  /** Linear red, green, blue. */
  readonly background: readonly number[];
  /** Factor on all light. */
  readonly exposure: number;
}

/** What the render thread has to know beside the world, sent within the first frame after a change. */
export class FrameSettings {
  isSurfaceDirty = true;
  isOutputDirty = true;
  readonly #surface: { readonly width: number; readonly height: number };
  readonly #output: OutputSettings;

  /** @param surface its size in physical pixels, read when it is dirty */
  constructor(surface: { readonly width: number; readonly height: number }, output: OutputSettings) {
    this.#surface = surface;
    this.#output = output;
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
      const { background, exposure } = this.#output;
      const field = writer.reserve(RenderOpcode.sceneSettings, 4);
      for (let channel = 0; channel < 3; channel++) {
        writer.floats[field + channel] = background[channel] as number;
      }
      writer.floats[field + 3] = exposure;
    }
  }
}
