import { CheckedBuilder } from './checked-builder.js';
import { ResourceField } from './declarations.js';
import { checkBuffer, checkTexture } from './descriptor-checks.js';
import type { FrameGraph } from './frame-graph.js';
import type {
  GraphBuffer,
  GraphPassKind,
  GraphTexture,
  GraphTextureDescriptor,
  LastingBufferDescriptor,
  LastingTextureDescriptor,
  UserPassBuilder,
} from './graph-pass.js';
import type { LastingResources } from './lasting-resources.js';

/** The checked builder for users' passes, with resources that outlast the frame. */
export class LastingBuilder extends CheckedBuilder implements UserPassBuilder {
  readonly #graph: FrameGraph;
  readonly #lasting: LastingResources;

  constructor(
    graph: FrameGraph,
    lasting: LastingResources,
    pass: string,
    kind: GraphPassKind,
    suffix: string,
  ) {
    super(graph.setup, pass, kind, suffix);
    this.#graph = graph;
    this.#lasting = lasting;
  }

  lastingBuffer(descriptor: LastingBufferDescriptor): GraphBuffer {
    this.checkInSetup();
    checkBuffer(descriptor, 'data');
    const named = this.named(descriptor);
    return this.#graph.importLastingBuffer(named, this.#lasting.buffer(named));
  }

  lastingTexture(descriptor: LastingTextureDescriptor): GraphTexture {
    this.checkInSetup();
    checkTexture(descriptor, 'isStorage');
    const named = this.named(descriptor);
    return this.#graph.importLastingTexture(named, this.#lasting.texture(named));
  }

  describe(texture: GraphTexture): Required<GraphTextureDescriptor> {
    const resource = this.resourceOf(texture);
    const { resources } = this.#graph.setup;
    const field = (index: number): number => resources.field(resource, index);
    return {
      name: resources.name(resource),
      width: field(ResourceField.width),
      height: field(ResourceField.height),
      format: resources.format(resource),
      sampleCount: field(ResourceField.sampleCount),
      mipLevelCount: field(ResourceField.mipLevelCount),
      layers: field(ResourceField.layers),
    };
  }
}
