import type { BufferHandle, TextureHandle } from '../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import { handleResource } from './graph-handles.js';
import type { GraphBuffer, GraphTexture, PassContext } from './graph-pass.js';

/** The context of all passes of a graph. Nothing is checked here: that is for passes of users, see `checked-pass.ts`. */
export class GraphContext implements PassContext {
  readonly rhi: ImmediateContext;
  version = 0;
  /** By number of the resource: what its handles stand for. */
  handles: readonly number[] = [];

  constructor(rhi: ImmediateContext) {
    this.rhi = rhi;
  }

  texture(handle: GraphTexture): TextureHandle {
    return this.handles[handleResource(handle)] as TextureHandle;
  }

  buffer(handle: GraphBuffer): BufferHandle {
    return this.handles[handleResource(handle)] as BufferHandle;
  }
}
