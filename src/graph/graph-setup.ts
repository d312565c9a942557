import {
  AccessField,
  AccessMode,
  Declaration,
  Declarations,
  PassField,
  passKinds,
  passQueues,
  ResourceField,
  WHOLE,
} from './declarations.js';
import type {
  ColorOptions,
  DepthOptions,
  GraphBuffer,
  GraphBufferDescriptor,
  GraphPass,
  GraphTexture,
  GraphTextureDescriptor,
  PassBuilder,
  Subresource,
} from './graph-pass.js';
import { GraphResources, type Origin, TRANSIENT } from './graph-resources.js';
import { Attachment, type BufferUse, findUse, type ResourceUse, type TextureUse } from './resource-uses.js';

const EVERYWHERE: Subresource = {};

/**
 * The set-up of a frame: passes declare, in order, what they create, read and write. Nothing is checked here;
 * `checked-pass.ts` checks the passes of users. If the `setup` of a pass throws, the declarations of the pass are
 * removed, and the frame continues without the pass.
 */
export class GraphSetup implements PassBuilder {
  readonly passes: GraphPass[] = [];
  passCount = 0;
  readonly declarations = new Declarations();
  readonly resources = new GraphResources(this.declarations);
  /** Bits of the colour slots that the current pass has taken. */
  #slots = 0;

  /** Begins a set-up. Called per frame. */
  begin(): void {
    this.declarations.clear();
    this.resources.begin();
    this.passCount = 0;
  }

  addTexture(descriptor: GraphTextureDescriptor, origin: Origin): GraphTexture {
    return this.resources.newest(this.resources.addTexture(descriptor, origin)) as GraphTexture;
  }

  addBuffer(descriptor: GraphBufferDescriptor, origin: Origin): GraphBuffer {
    return this.resources.newest(this.resources.addBuffer(descriptor, origin)) as GraphBuffer;
  }

  /** Adds a pass and runs its `setup`. @throws any error of `setup`; then the pass is not part of the frame */
  addPass(pass: GraphPass): void {
    const { declarations, resources } = this;
    const { length, nameCount } = declarations;
    const { count } = resources;
    const at = declarations.add(Declaration.pass);
    declarations.numbers[at + PassField.kind] = passKinds.indexOf(pass.kind);
    declarations.numbers[at + PassField.queue] = passQueues.indexOf(pass.queue ?? 'automatic');
    declarations.addName(pass.name);
    this.#slots = 0;
    try {
      pass.setup(this);
      this.passes[this.passCount++] = pass;
    } catch (error) {
      this.#undoVersions(length);
      declarations.length = length;
      declarations.nameCount = nameCount;
      resources.removeFrom(count);
      throw error;
    }
  }

  createTexture(descriptor: GraphTextureDescriptor): GraphTexture {
    return this.addTexture(descriptor, TRANSIENT);
  }

  createBuffer(descriptor: GraphBufferDescriptor): GraphBuffer {
    return this.addBuffer(descriptor, TRANSIENT);
  }

  findTexture(name: string): GraphTexture {
    return this.resources.newest(this.resources.indexOf(name)) as GraphTexture;
  }

  findBuffer(name: string): GraphBuffer {
    return this.resources.newest(this.resources.indexOf(name)) as GraphBuffer;
  }

  has(name: string): boolean {
    return this.resources.indexOf(name) >= 0;
  }

  read(resource: GraphTexture | GraphBuffer, use: TextureUse | BufferUse, where?: Subresource): void {
    this.#access(resource, this.#use(resource, use), AccessMode.read, where);
  }

  write(resource: GraphTexture, use: TextureUse, where?: Subresource): GraphTexture;
  write(resource: GraphBuffer, use: BufferUse): GraphBuffer;
  write(resource: number, use: TextureUse | BufferUse, where?: Subresource): GraphTexture & GraphBuffer {
    this.#access(resource, this.#use(resource, use), AccessMode.write, where);
    return this.#newest(resource);
  }

  modify(resource: GraphTexture, use: TextureUse, where?: Subresource): GraphTexture;
  modify(resource: GraphBuffer, use: BufferUse): GraphBuffer;
  modify(resource: number, use: TextureUse | BufferUse, where?: Subresource): GraphTexture & GraphBuffer {
    this.#access(resource, this.#use(resource, use), AccessMode.modify, where);
    return this.#newest(resource);
  }

  color(texture: GraphTexture, options: ColorOptions = EVERYWHERE): GraphTexture {
    const { clear, resolveTo, viewFormat, slot = this.nextSlot } = options;
    this.#slots |= 1 << slot;
    const { declarations } = this;
    const at = this.#access(texture, Attachment.color, clear ? AccessMode.write : AccessMode.modify, options);
    declarations.numbers[at + AccessField.slot] = slot;
    if (viewFormat)
      declarations.numbers[at + AccessField.viewFormat] = declarations.formatNumber(viewFormat) + 1;
    if (clear) {
      declarations.numbers[at + AccessField.isCleared] = 1;
      declarations.numbers.set(clear, at + AccessField.clear);
    }
    if (resolveTo === undefined) return this.#newest(texture);
    const resolveAt = this.#access(resolveTo, Attachment.resolve, AccessMode.write, EVERYWHERE);
    declarations.numbers[resolveAt + AccessField.slot] = slot;
    return this.#newest(resolveTo);
  }

  depth(texture: GraphTexture, options: DepthOptions = EVERYWHERE): GraphTexture {
    const { clear, readOnly = false } = options;
    if (readOnly) {
      this.#access(texture, Attachment.depthRead, AccessMode.read, options);
      return texture;
    }
    const mode = clear === undefined ? AccessMode.modify : AccessMode.write;
    const at = this.#access(texture, Attachment.depth, mode, options);
    if (clear !== undefined) {
      const { numbers } = this.declarations;
      numbers[at + AccessField.isCleared] = 1;
      numbers[at + AccessField.clear] = clear;
    }
    return this.#newest(texture);
  }

  keep(): void {
    this.declarations.add(Declaration.keep);
  }

  /** The lowest colour slot that the current pass has not taken. */
  get nextSlot(): number {
    return 31 - Math.clz32(~this.#slots & (this.#slots + 1));
  }

  #newest(handle: number): GraphTexture & GraphBuffer {
    return this.resources.newest(this.resources.handles.resourceOf(handle)) as GraphTexture & GraphBuffer;
  }

  #use(handle: number, name: string): number {
    const { resources } = this;
    const isTexture = resources.field(resources.handles.resourceOf(handle), ResourceField.isTexture) === 1;
    return (findUse(isTexture, name) as ResourceUse).index;
  }

  /** Declares an access. @returns the index of its first value */
  #access(handle: number, use: number, mode: number, where: Subresource = EVERYWHERE): number {
    const { resources } = this;
    const resource = resources.handles.resourceOf(handle);
    const { mipLevel = WHOLE, layer = WHOLE } = where;
    const at = this.declarations.add(Declaration.access);
    const { numbers } = this.declarations;
    const isPart = mode === AccessMode.write && this.#isPart(resource, mipLevel, layer);
    if (mode !== AccessMode.read) resources.addVersion(resource);
    numbers[at + AccessField.resource] = resource;
    numbers[at + AccessField.version] = resources.version[resource] as number;
    numbers[at + AccessField.use] = use;
    numbers[at + AccessField.mipLevel] = mipLevel;
    numbers[at + AccessField.layer] = layer;
    numbers[at + AccessField.mode] = isPart ? AccessMode.modify : mode;
    return at;
  }

  #isPart(resource: number, mipLevel: number, layer: number): boolean {
    const { resources } = this;
    return (
      (mipLevel !== WHOLE && resources.field(resource, ResourceField.mipLevelCount) > 1) ||
      (layer !== WHOLE && resources.field(resource, ResourceField.layers) > 1)
    );
  }

  /** Undoes the new versions of the writes that were declared at index `from` or later. */
  #undoVersions(from: number): void {
    const { declarations, resources } = this;
    const { numbers, length } = declarations;
    for (let at = from; at < length; at = declarations.next(at)) {
      const isAccess = numbers[at] === Declaration.access;
      if (!isAccess || numbers[at + 1 + AccessField.mode] === AccessMode.read) continue;
      resources.removeVersion(numbers[at + 1 + AccessField.resource] as number);
    }
  }
}
