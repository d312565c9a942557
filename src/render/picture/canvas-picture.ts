import type { FrameGraph, ImportOptions } from '../../graph/frame-graph.js';
import type { GraphPass, GraphTexture, GraphTextureDescriptor, PassBuilder } from '../../graph/graph-pass.js';
import type { TextureHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { CaptureReadback } from './capture-readback.js';
import { fitSurface } from './fit-surface.js';
import { PicturePass } from './picture-pass.js';
import type { ViewInfo } from './view-info.js';

/** Parts of the renderer that its canvases need. */
export interface CanvasHost {
  readonly rhi: ImmediateContext;
  /** The engine's own canvas. Other canvases have its format. */
  readonly surface: { readonly format: GPUTextureFormat };
  /** Maximum width and height of a texture, in pixels. */
  readonly largestSize: number;
}

/** Reads a canvas back and ends its drawing. The next canvas can begin after this pass. */
class CanvasEndPass implements GraphPass {
  readonly name: string;
  readonly kind = 'copy';
  /** The target's newest version in this frame. */
  target!: GraphTexture;
  readonly execute: () => void;

  constructor(name: string, execute: () => void) {
    this.name = name;
    this.execute = execute;
  }

  setup(builder: PassBuilder): void {
    builder.read(this.target, 'copy-source');
    builder.keep();
  }
}

/**
 * A canvas besides the engine's own, and the picture that its views draw.
 *
 *   useSurface n │ beginDrawingViewport │ tone mapping │ copy │ endDrawingViewport │ useSurface 0 │ read-backs
 */
export class CanvasPicture {
  /** Views of this frame, in order. */
  readonly views: ViewInfo[] = [];
  readonly picture: PicturePass;
  /** Size in physical pixels. */
  width = 0;
  height = 0;
  /** Physical pixels per CSS pixel. */
  pixelRatio = 1;
  /** Numbers of the requests that read the next picture back. */
  readonly requests: number[] = [];
  readonly #host: CanvasHost;
  readonly #handle: TextureHandle;
  readonly #end: CanvasEndPass;
  readonly #readback: CaptureReadback;
  readonly #import: ImportOptions;
  #descriptor: GraphTextureDescriptor;

  /** @param canvas number of the canvas in the RHI */
  constructor(host: CanvasHost, canvas: number) {
    const { rhi, surface } = host;
    const name = `canvas ${canvas}`;
    this.#host = host;
    this.#handle = rhi.createViewportTarget(name);
    const format = surface.format.replace('-srgb', '') as GPUTextureFormat;
    this.#descriptor = { name, width: 0, height: 0, format };
    this.picture = new PicturePass(`tone mapping, ${name}`, this.views, surface.format);
    this.#readback = new CaptureReadback(rhi);
    this.#import = {
      hasContents: false,
      acquire: () => {
        rhi.useSurface(canvas);
        rhi.beginDrawingViewport(this.#handle, this.width, this.height);
      },
    };
    this.#end = new CanvasEndPass(`end of ${name}`, () => {
      if (this.requests.length > 0) this.#readback.copy(this.#handle);
      rhi.endDrawingViewport(this.#handle);
      rhi.useSurface(0);
      for (const request of this.requests) this.#readback.answer(request);
      this.requests.length = 0;
    });
  }

  resize(width: number, height: number, pixelRatio: number): void {
    fitSurface(this, width, height, pixelRatio, this.#host.largestSize);
    this.#descriptor = { ...this.#descriptor, width: this.width, height: this.height };
  }

  /**
   * Per frame, outside passes: prepares read-backs. If no view is drawn, requests are answered with
   * meaningless bytes.
   */
  prepareReads(): void {
    if (this.requests.length === 0) return;
    if (this.views.length > 0) this.#readback.prepare(this.width, this.height);
    else for (const request of this.requests.splice(0)) this.#readback.recordEmpty(request);
  }

  addPasses(graph: FrameGraph): void {
    for (const view of this.views) view.addPasses(graph);
    this.picture.target = graph.importTexture(this.#descriptor, this.#handle, this.#import);
    graph.addPass(this.picture);
    this.#end.target = this.picture.target;
    graph.addPass(this.#end);
  }

  dispose(): void {
    this.#readback.dispose();
    this.#host.rhi.destroy(this.#handle);
  }
}
