/**
 * Provides the surface's texture between `beginDrawingViewport` and `endDrawingViewport`. A canvas texture lives only
 * for one task of the event loop. So it is acquired as late as possible, at its first use in a list. After that, the
 * list must not wait. Without a surface, an ordinary texture replaces the canvas texture.
 */
import { messageOf, RhiError } from '../../../core/errors.js';
import { type TextureHandle, TextureUsage } from '../../commands/descriptors.js';
import { GpuMemory } from '../resources/gpu-memory.js';
import type { TextureResource } from '../resources/gpu-resources.js';

export type Surface = OffscreenCanvas | HTMLCanvasElement;

const srgbOf = (format: GPUTextureFormat): GPUTextureFormat => `${format}-srgb` as GPUTextureFormat;

/**
 * Contexts by canvas. They are kept, because Firefox returns the context of a transferred canvas only at the first call
 * of `getContext`. All further calls fail, even in the same worker.
 */
const contexts = new WeakMap<Surface, GPUCanvasContext>();

/** Returns the WebGPU context of a canvas; null if the canvas has a context of another kind. */
function contextOf(surface: Surface): GPUCanvasContext | null {
  const context = contexts.get(surface) ?? (surface.getContext('webgpu') as GPUCanvasContext | null);
  if (context) contexts.set(surface, context);
  return context;
}

export class Viewport {
  readonly #device: GPUDevice;
  readonly #memory: GpuMemory;
  readonly #surface: Surface | null;
  readonly format: GPUTextureFormat;
  #context: GPUCanvasContext | null = null;
  /** The document of the canvas at the last `configure`; null in a worker. */
  #document: Document | null = null;
  /** Alpha mode of the last `configure`. */
  #alphaMode: GPUCanvasAlphaMode = 'opaque';
  /** The texture that replaces a missing or invisible canvas. */
  #offscreen: GPUTexture | null = null;
  #resource: TextureResource | null = null;
  #width = 0;
  #height = 0;

  constructor(
    device: GPUDevice,
    surface: Surface | null,
    format: GPUTextureFormat,
    memory = new GpuMemory(device),
  ) {
    this.#device = device;
    this.#memory = memory;
    this.#surface = surface;
    this.format = format;
  }

  /** Whether the page is visible through transparent pixels of the current frame. */
  isTranslucent = false;

  /** Whether the current list has acquired the texture and is not submitted yet, so that it must not wait. */
  isAcquired = false;

  /** Whether the viewport is between its begin and its end. */
  #isBegun = false;

  /** Whether the canvas is still being drawn. During a wait, the browser would show the incomplete picture. */
  get isDrawing(): boolean {
    return this.isAcquired && this.#isBegun;
  }

  /** This frame's texture; null before its first use. */
  get texture(): GPUTexture | null {
    return this.#resource?.gpu ?? null;
  }

  /**
   * Returns the resource of the surface for the table of textures. `acquire` sets its texture.
   * @param width in pixels
   * @param height in pixels
   * @throws RhiError `limit-exceeded`
   */
  begin(handle: number, width: number, height: number): TextureResource {
    const limit = this.#device.limits.maxTextureDimension2D;
    if (width < 1 || height < 1 || width > limit || height > limit) {
      throw new RhiError(
        'limit-exceeded',
        `The viewport has a size of ${width} × ${height} pixels; this device allows 1 to ${limit} in each direction. Resize the canvas.`,
      );
    }
    this.#isBegun = true;
    this.#width = width;
    this.#height = height;
    if (this.#resource?.handle !== handle) {
      this.#resource = {
        handle: handle as TextureHandle,
        label: 'viewport',
        createdInFrame: 0,
        creation: -1,
        gpu: null,
        views: new Map(),
        isViewport: true,
        whyStale: null,
      };
    }
    return this.#resource;
  }

  /**
   * Acquires this frame's texture. Further calls in the frame do nothing.
   * @throws RhiError `surface-unavailable`; `surface-lost` if the canvas can't be drawn to any more
   */
  acquire(): void {
    const resource = this.#resource;
    if (resource === null || resource.gpu !== null) return;
    resource.views.clear();
    resource.gpu = this.#surface === null ? this.#offscreenTexture() : this.#canvasTexture(this.#surface);
    this.isAcquired = true;
  }

  /** Ends the drawing. The texture belongs to the list until `release`. */
  end(): void {
    this.#isBegun = false;
  }

  /** Returns the texture to the browser. Call it after the submission. */
  release(): void {
    this.isAcquired = this.#isBegun = false;
    if (this.#resource === null) return;
    this.#resource.gpu = null;
    this.#resource.views.clear();
  }

  /**
   * Frees the textures.
   * @param keepsSurface whether the canvas keeps its picture until another owner configures it
   */
  dispose(keepsSurface: boolean): void {
    this.release();
    if (this.#offscreen !== null) this.#memory.destroy(this.#offscreen);
    if (!keepsSurface) this.#context?.unconfigure();
  }

  #canvasTexture(surface: Surface): GPUTexture {
    const page = 'ownerDocument' in surface ? surface.ownerDocument : null;
    // The canvas of a removed iframe is invisible, and its textures are invalid.
    if (page?.defaultView === null) return this.#offscreenTexture();
    const hasMoved = this.#context !== null && page !== this.#document;
    try {
      if (surface.width !== this.#width) surface.width = this.#width;
      if (surface.height !== this.#height) surface.height = this.#height;
      const alphaMode = this.isTranslucent ? 'premultiplied' : 'opaque';
      if (this.#context === null || hasMoved || this.#alphaMode !== alphaMode) {
        const context = this.#context ?? contextOf(surface);
        if (context === null) throw new Error('the canvas has a context of another kind');
        context.configure({
          device: this.#device,
          format: this.format,
          viewFormats: [srgbOf(this.format)],
          usage: TextureUsage.renderAttachment | TextureUsage.copySource,
          alphaMode,
        });
        this.#alphaMode = alphaMode;
        this.#context = context;
        this.#document = page;
      }
      return this.#context.getCurrentTexture();
    } catch (cause) {
      if (hasMoved) {
        throw new RhiError(
          'surface-lost',
          `The canvas has lost its context, because its document is gone: ${messageOf(cause)} Draw to another canvas. An engine replaces the canvas itself.`,
          { cause },
        );
      }
      throw new RhiError(
        'surface-unavailable',
        `The canvas returned no texture to draw into: ${messageOf(cause)}. Use a canvas without another context.`,
        { cause },
      );
    }
  }

  #offscreenTexture(): GPUTexture {
    const texture = this.#offscreen;
    if (texture !== null && texture.width === this.#width && texture.height === this.#height) return texture;
    if (texture !== null) this.#memory.destroy(texture);
    this.#offscreen = this.#memory.createTexture({
      label: 'viewport',
      size: [this.#width, this.#height],
      format: this.format,
      viewFormats: [srgbOf(this.format)],
      usage: TextureUsage.renderAttachment | TextureUsage.copySource | TextureUsage.textureBinding,
    });
    return this.#offscreen;
  }
}
