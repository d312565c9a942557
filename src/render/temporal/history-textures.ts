import type { FrameGraph } from '../../graph/frame-graph.js';
import type {
  GraphPass,
  GraphTexture,
  GraphTextureDescriptor,
  PassBuilder,
  PassContext,
} from '../../graph/graph-pass.js';
import { type TextureHandle, TextureUsage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { HISTORY_FORMAT } from './temporal-pipelines.js';

/** Textures of a view that keep results of a frame for the next frame. This pass copies the results into them. */
export class HistoryTextures implements GraphPass {
  readonly kind = 'copy';
  readonly name: string;
  /** The textures in this frame's graph. They hold results of the last frame until the pass has copied new ones. */
  readonly textures: GraphTexture[] = [];
  /** Results of this frame, which the pass copies. */
  readonly results: GraphTexture[] = [];
  readonly #rhi: ImmediateContext;
  readonly #names: readonly string[];
  readonly #handles: TextureHandle[] = [];
  #descriptors: readonly GraphTextureDescriptor[] = [];
  #region = { width: 0, height: 0 };

  /** @param names names of the textures, without the suffix */
  constructor(rhi: ImmediateContext, suffix: string, names: readonly string[]) {
    this.#rhi = rhi;
    this.#names = names.map((name) => `${name}${suffix}`);
    this.name = `copy to ${this.#names[0]}`;
  }

  /** Number of textures that exist. */
  get count(): number {
    return this.#handles.length;
  }

  /**
   * Per frame, outside passes: creates the first `count` textures. Another size or number replaces the textures.
   * @returns whether the textures are new, so that they hold no results
   */
  resize(width: number, height: number, count: number): boolean {
    const isSame = width === this.#region.width && height === this.#region.height && count === this.count;
    if (isSame) return false;
    this.dispose();
    this.#region = { width, height };
    const usage = TextureUsage.textureBinding | TextureUsage.copyTarget;
    this.#descriptors = this.#names.slice(0, count).map((name) => ({
      name,
      width,
      height,
      format: HISTORY_FORMAT,
    }));
    for (const { name: label, format } of this.#descriptors)
      this.#handles.push(this.#rhi.createTexture({ label, width, height, format, usage }));
    return true;
  }

  /** Per frame: imports the textures. */
  importTo(graph: FrameGraph): void {
    for (let index = 0; index < this.count; index++) {
      const descriptor = this.#descriptors[index] as GraphTextureDescriptor;
      this.textures[index] = graph.importTexture(descriptor, this.#handles[index] as TextureHandle);
    }
  }

  setup(builder: PassBuilder): void {
    for (let index = 0; index < this.count; index++) {
      builder.read(this.results[index] as GraphTexture, 'copy-source');
      this.textures[index] = builder.write(this.textures[index] as GraphTexture, 'copy-target');
    }
  }

  execute(context: PassContext): void {
    for (let index = 0; index < this.count; index++) {
      const result = context.texture(this.results[index] as GraphTexture);
      this.#rhi.copyTextureToTexture(result, this.#handles[index] as TextureHandle, this.#region);
    }
  }

  dispose(): void {
    for (const handle of this.#handles) this.#rhi.destroy(handle);
    this.#handles.length = 0;
    this.#region = { width: 0, height: 0 };
  }
}
