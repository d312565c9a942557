import { GraphError } from '../core/errors.js';
import type { BufferHandle, TextureHandle } from '../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../rhi/record/immediate-context.js';
import type { GraphBuffer, GraphTexture, PassContext } from './graph-pass.js';
import type { GraphResources } from './graph-resources.js';

/** The context of all passes of a graph, given to one after the other. */
export class GraphContext implements PassContext {
  readonly rhi: ImmediateContext;
  version = 0;
  /** By number of the resource: what its handles stand for. */
  handles: readonly number[] = [];
  readonly #resources: GraphResources;
  #pass: string | undefined;
  #isDeclared: readonly boolean[] = [];

  constructor(rhi: ImmediateContext, resources: GraphResources) {
    this.rhi = rhi;
    this.#resources = resources;
  }

  /** Per pass. @param isDeclared by number of the resource: whether the pass has declared it */
  begin(pass: string, isDeclared: readonly boolean[]): void {
    this.#pass = pass;
    this.#isDeclared = isDeclared;
  }

  end(): void {
    this.#pass = undefined;
  }

  texture(handle: GraphTexture): TextureHandle {
    return this.#find(handle) as TextureHandle;
  }

  buffer(handle: GraphBuffer): BufferHandle {
    return this.#find(handle) as BufferHandle;
  }

  #find(handle: number): number {
    const resource = this.#resources.find(handle);
    if (this.#pass !== undefined && resource >= 0 && this.#isDeclared[resource]) {
      return this.handles[resource] as number;
    }
    throw this.#refuse(handle, resource);
  }

  #refuse(handle: number, resource: number): GraphError {
    if (this.#pass === undefined) {
      return new GraphError(
        'graph-outside-execute',
        'A handle of the frame graph was resolved outside prepare() and execute(): a texture or buffer stands behind it only there.',
      );
    }
    if (resource < 0) {
      return new GraphError(
        'graph-handle-stale',
        `The pass "${this.#pass}" uses ${String(handle)}, which is no handle of this frame. Handles of the graph last one frame: keep those of this frame's setup().`,
      );
    }
    return new GraphError(
      'graph-access-undeclared',
      `The pass "${this.#pass}" uses "${this.#resources.name(resource)}" without having declared it. Declare it in setup(), by read(), write(), modify(), color() or depth().`,
    );
  }
}
