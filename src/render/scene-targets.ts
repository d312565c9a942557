import { type RenderPassDescriptor, type TextureHandle, TextureUsage } from '../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import { SCENE_COLOR_FORMAT, SCENE_DEPTH_FORMAT } from './pipeline-cache.js';

/**
 * What the scene is drawn into: linear scene colour in half floats and depth, multisampled or not, the size of
 * the surface in pixels. They are made anew when that size changes.
 *
 *   4 samples:  colour ×4 ──resolve──► scene colour        1 sample:  scene colour
 *               depth ×4                                              depth
 */
export class SceneTargets {
  width = 0;
  height = 0;
  /** Rises whenever the textures are others. */
  version = 0;
  #textures: TextureHandle[] = [];
  #colorTexture: TextureHandle | undefined;
  #pass: RenderPassDescriptor | undefined;

  readonly #rhi: ImmediateContext;
  readonly #sampleCount: number;

  constructor(rhi: ImmediateContext, sampleCount: number) {
    this.#rhi = rhi;
    this.#sampleCount = sampleCount;
  }

  /** Scene colour to read from, one sample per pixel. */
  get color(): TextureHandle {
    if (this.#colorTexture === undefined) throw new Error('scene targets are used before they have a size');
    return this.#colorTexture;
  }

  /** The pass that clears and fills them: colour to nothing, depth to the far end (0, reversed). */
  get scenePass(): RenderPassDescriptor {
    if (this.#pass === undefined) throw new Error('scene targets are used before they have a size');
    return this.#pass;
  }

  /** Per frame. */
  resize(width: number, height: number): void {
    if (width === this.width && height === this.height) return;
    this.dispose();
    this.width = width;
    this.height = height;
    this.version++;
    const color = this.#create('scene colour', SCENE_COLOR_FORMAT, 1, TextureUsage.textureBinding);
    const depth = this.#create('scene depth', SCENE_DEPTH_FORMAT, this.#sampleCount, 0);
    const isMultisampled = this.#sampleCount > 1;
    const drawn = isMultisampled
      ? this.#create(`scene colour, ${this.#sampleCount} samples`, SCENE_COLOR_FORMAT, this.#sampleCount, 0)
      : color;
    this.#colorTexture = color;
    this.#pass = {
      label: 'scene',
      colorAttachments: [
        {
          view: { texture: drawn },
          ...(isMultisampled ? { resolveTarget: { texture: color } } : {}),
          loadOp: 'clear',
          storeOp: isMultisampled ? 'discard' : 'store',
          clearValue: [0, 0, 0, 0],
        },
      ],
      depthStencilAttachment: {
        view: { texture: depth },
        depthLoadOp: 'clear',
        depthStoreOp: 'discard',
        depthClearValue: 0,
      },
    };
  }

  dispose(): void {
    for (const texture of this.#textures) this.#rhi.destroy(texture);
    this.#textures = [];
    this.#colorTexture = this.#pass = undefined;
    this.width = this.height = 0;
  }

  #create(label: string, format: GPUTextureFormat, sampleCount: number, usage: number): TextureHandle {
    const texture = this.#rhi.createTexture({
      label,
      width: this.width,
      height: this.height,
      sampleCount,
      format,
      usage: usage | TextureUsage.renderAttachment,
    });
    this.#textures.push(texture);
    return texture;
  }
}
