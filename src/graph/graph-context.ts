import type { BufferHandle, TextureHandle } from '../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import type { GraphHandles } from './graph-handles.js';
import type { GraphBuffer, GraphTexture, PassContext } from './graph-pass.js';

/** The context that all passes of a graph share. It checks nothing; `checked-pass.ts` checks the passes of users. */
export class GraphContext implements PassContext {
  readonly rhi: ImmediateContext;
  version = 0;
  /** Textures and buffers, by resource number. */
  handles: readonly number[] = [];
  readonly #graphHandles: GraphHandles;

  constructor(rhi: ImmediateContext, graphHandles: GraphHandles) {
    this.rhi = rhi;
    this.#graphHandles = graphHandles;
  }

  texture(handle: GraphTexture): TextureHandle {
    return this.handles[this.#graphHandles.resourceOf(handle)] as TextureHandle;
  }

  buffer(handle: GraphBuffer): BufferHandle {
    return this.handles[this.#graphHandles.resourceOf(handle)] as BufferHandle;
  }
}
