import { type RenderPassDescriptor, type TextureHandle, TextureUsage } from '../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import { PassFormat, SCENE_COLOR_FORMAT, SCENE_DEPTH_FORMAT } from './pipeline-cache.js';

/**
 * What the scene is drawn into: linear scene colour in half floats and depth, multisampled or not, the size of
 * the surface in pixels. They are made anew when that size or the pass format changes.
 *
 *   4 samples:  colour ×4 ──resolve──► scene colour        1 sample:  scene colour
 *               depth ×4                                              depth
 *
 * Colours that tone mapping must leave alone, where there are any, go to a target of their own beside scene colour. Both
 * are premultiplied by coverage, and what is drawn into one hides what lies behind it in the other:
 *
 *   scene colour     0.2 0.1 0.0 · 0.5     half a pixel of something lit
 *   unmapped colour  0.0 0.0 0.5 · 0.5     and half a pixel of something blue that is shown as it is
 */
export class SceneTargets {
  width = 0;
  height = 0;
  /** Bits of `PassFormat`. */
  format = 0;
  /** Rises whenever the textures are others. */
  version = 0;
  /** Colours that are neither exposed nor tone-mapped, one sample per pixel. */
  unmappedColor: TextureHandle | undefined;
  #textures: TextureHandle[] = [];
  #colorTexture: TextureHandle | undefined;
  #depthTexture: TextureHandle | undefined;
  #pass: RenderPassDescriptor | undefined;

  readonly #rhi: ImmediateContext;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  /** Scene colour to read from, one sample per pixel. */
  get color(): TextureHandle {
    if (this.#colorTexture === undefined) throw new Error('scene targets are used before they have a size');
    return this.#colorTexture;
  }

  get depth(): TextureHandle {
    if (this.#depthTexture === undefined) throw new Error('scene targets are used before they have a size');
    return this.#depthTexture;
  }

  /** The pass that clears and fills them: colour to nothing, depth to the far end (0, reversed). */
  get scenePass(): RenderPassDescriptor {
    if (this.#pass === undefined) throw new Error('scene targets are used before they have a size');
    return this.#pass;
  }

  /** Per frame. @param format bits of `PassFormat` */
  resize(width: number, height: number, format: number): void {
    if (width === this.width && height === this.height && format === this.format) return;
    this.dispose();
    this.width = width;
    this.height = height;
    this.format = format;
    this.version++;
    const sampleCount = format & PassFormat.multisampled ? 4 : 1;
    const color = this.#create('scene colour', SCENE_COLOR_FORMAT, 1, TextureUsage.textureBinding);
    const isDepthRead = (format & PassFormat.deferred) !== 0;
    const depth = this.#create(
      'scene depth',
      SCENE_DEPTH_FORMAT,
      sampleCount,
      isDepthRead ? TextureUsage.textureBinding : 0,
    );
    this.#depthTexture = depth;
    const colorAttachments = [this.#attach(color, 'scene colour', sampleCount)];
    this.#colorTexture = color;
    if (format & PassFormat.unmappedTarget) {
      const unmapped = this.#create('unmapped colour', SCENE_COLOR_FORMAT, 1, TextureUsage.textureBinding);
      colorAttachments.push(this.#attach(unmapped, 'unmapped colour', sampleCount));
      this.unmappedColor = unmapped;
    }
    this.#pass = {
      label: 'scene',
      colorAttachments,
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
    this.#colorTexture = this.#depthTexture = this.unmappedColor = this.#pass = undefined;
    this.width = this.height = 0;
  }

  /** Cleared to nothing; several samples are resolved into the texture that is read. */
  #attach(
    resolved: TextureHandle,
    label: string,
    sampleCount: number,
  ): RenderPassDescriptor['colorAttachments'][number] {
    const clear = { loadOp: 'clear', clearValue: [0, 0, 0, 0] } as const;
    if (sampleCount === 1) return { view: { texture: resolved }, ...clear, storeOp: 'store' };
    const drawn = this.#create(`${label}, ${sampleCount} samples`, SCENE_COLOR_FORMAT, sampleCount, 0);
    return {
      view: { texture: drawn },
      resolveTarget: { texture: resolved },
      ...clear,
      storeOp: 'discard',
    };
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
