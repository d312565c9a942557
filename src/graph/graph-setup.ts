import { GraphError } from '../core/errors.js';
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
import { handleVersion, MOST_VERSIONS } from './graph-handles.js';
import type {
  ColorOptions,
  DepthOptions,
  GraphBuffer,
  GraphBufferDescriptor,
  GraphPass,
  GraphPassKind,
  GraphQueue,
  GraphTexture,
  GraphTextureDescriptor,
  PassBuilder,
  Subresource,
} from './graph-pass.js';
import { GraphResources, type Origin, TRANSIENT } from './graph-resources.js';
import { PassAccesses } from './pass-accesses.js';
import {
  Attachment,
  type BufferUse,
  findUse,
  isAttachment,
  type TextureUse,
  useNames,
} from './resource-uses.js';
import { formatNumber } from './texture-formats.js';

const EVERYWHERE: Subresource = {};
const MOST_SLOTS = 8;

/**
 * The set-up of a frame: passes declare, in order, what they create, read and write. Every call is checked at once, so
 * that an error's stack leads to the pass; a pass whose `setup` throws leaves nothing behind, and the frame goes on
 * without it.
 */
export class GraphSetup implements PassBuilder {
  readonly passes: GraphPass[] = [];
  passCount = 0;
  readonly declarations = new Declarations();
  readonly resources = new GraphResources(this.declarations);
  readonly #accesses = new PassAccesses(this.declarations, this.resources);
  /** In set-up now. */
  #pass: GraphPass | undefined;

  /** Per frame. */
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

  /** @throws whatever `pass.setup` throws, and GraphError; then the pass is not part of the frame */
  addPass(pass: GraphPass): void {
    checkPass(pass);
    const { declarations, resources } = this;
    const { length, nameCount } = declarations;
    const { count } = resources;
    const at = declarations.add(Declaration.pass);
    declarations.numbers[at + PassField.kind] = passKinds.indexOf(pass.kind);
    declarations.numbers[at + PassField.queue] = passQueues.indexOf(pass.queue ?? 'automatic');
    declarations.addName(pass.name);
    this.#accesses.begin(this.passCount, pass.name);
    this.#pass = pass;
    try {
      pass.setup(this);
      if (pass.kind === 'raster') this.#accesses.checkAttachments();
      this.passes[this.passCount++] = pass;
    } catch (error) {
      this.#accesses.undo();
      declarations.length = length;
      declarations.nameCount = nameCount;
      resources.count = count;
      throw error;
    } finally {
      this.#pass = undefined;
    }
  }

  createTexture(descriptor: GraphTextureDescriptor): GraphTexture {
    this.#checkInSetup();
    return this.addTexture(descriptor, TRANSIENT);
  }

  createBuffer(descriptor: GraphBufferDescriptor): GraphBuffer {
    this.#checkInSetup();
    return this.addBuffer(descriptor, TRANSIENT);
  }

  findTexture(name: string): GraphTexture {
    return this.#find(name, true) as GraphTexture;
  }

  findBuffer(name: string): GraphBuffer {
    return this.#find(name, false) as GraphBuffer;
  }

  has(name: string): boolean {
    return this.resources.indexOf(name) >= 0;
  }

  read(resource: GraphTexture | GraphBuffer, use: TextureUse | BufferUse, where?: Subresource): void {
    this.#access(resource, this.#use(resource, use, 'read'), AccessMode.read, where);
  }

  write(resource: GraphTexture, use: TextureUse, where?: Subresource): GraphTexture;
  write(resource: GraphBuffer, use: BufferUse): GraphBuffer;
  write(resource: number, use: TextureUse | BufferUse, where?: Subresource): GraphTexture & GraphBuffer {
    return this.#write(resource, this.#use(resource, use, 'write'), AccessMode.write, where);
  }

  modify(resource: GraphTexture, use: TextureUse, where?: Subresource): GraphTexture;
  modify(resource: GraphBuffer, use: BufferUse): GraphBuffer;
  modify(resource: number, use: TextureUse | BufferUse, where?: Subresource): GraphTexture & GraphBuffer {
    return this.#write(resource, this.#use(resource, use, 'write'), AccessMode.modify, where);
  }

  color(texture: GraphTexture, options: ColorOptions = EVERYWHERE): GraphTexture {
    const { clear, resolveTo, viewFormat, slot = this.#accesses.nextSlot() } = options;
    const isSlot = Number.isInteger(slot) && slot >= 0 && slot < MOST_SLOTS;
    if (!isSlot || this.#accesses.isSlotTaken(slot)) {
      throw this.#error(
        'graph-attachment-invalid',
        `uses the colour slot ${slot}: slots are 0 to ${MOST_SLOTS - 1}, each once.`,
      );
    }
    if (clear !== undefined && !(clear.length === 4 && clear.every(Number.isFinite))) {
      throw this.#error(
        'graph-attachment-invalid',
        `clears a colour to ${JSON.stringify(clear)}: four finite numbers are needed.`,
      );
    }
    const mode = clear ? AccessMode.write : AccessMode.modify;
    const at = this.#access(texture, Attachment.color, mode, options);
    const { declarations } = this;
    declarations.numbers[at + AccessField.slot] = slot;
    if (viewFormat) declarations.numbers[at + AccessField.viewFormat] = formatNumber(viewFormat) + 1;
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
    if (clear !== undefined && !(clear >= 0 && clear <= 1)) {
      throw this.#error('graph-attachment-invalid', `clears depth to ${clear}: it lies between 0 and 1.`);
    }
    const mode = clear === undefined ? AccessMode.modify : AccessMode.write;
    const at = this.#access(texture, Attachment.depth, mode, options);
    if (clear !== undefined) {
      this.declarations.numbers[at + AccessField.isCleared] = 1;
      this.declarations.numbers[at + AccessField.clear] = clear;
    }
    return this.#newest(texture);
  }

  keep(): void {
    this.#checkInSetup();
    this.declarations.add(Declaration.keep);
  }

  #newest(handle: number): GraphTexture & GraphBuffer {
    return this.resources.newest(this.#resourceOf(handle)) as GraphTexture & GraphBuffer;
  }

  #write(handle: number, use: number, mode: number, where?: Subresource): GraphTexture & GraphBuffer {
    this.#access(handle, use, mode, where);
    return this.#newest(handle);
  }

  /** @returns where the numbers of the access are */
  #access(handle: number, use: number, mode: number, where: Subresource = EVERYWHERE): number {
    const resource = this.#resourceOf(handle);
    if (isAttachment(use) && this.#pass?.kind !== 'raster') {
      throw this.#error(
        'graph-use-refused',
        `attaches "${this.resources.name(resource)}"; only raster passes have attachments.`,
      );
    }
    this.#checkVersion(resource, handleVersion(handle), mode);
    const needsContents = mode === AccessMode.read || (mode === AccessMode.modify && !isAttachment(use));
    const newest = this.resources.version[resource] as number;
    if (needsContents && newest === 0 && this.resources.field(resource, ResourceField.hasContents) === 0) {
      throw this.#error(
        'graph-nothing-written',
        `reads "${this.resources.name(resource)}", which no pass before it has written. Add the pass that writes it earlier, or write it here.`,
      );
    }
    return this.#accesses.add(resource, use, mode, where.mipLevel ?? WHOLE, where.layer ?? WHOLE);
  }

  /** Versions that the pass in set-up made itself are levels and layers of the same contents. */
  #checkVersion(resource: number, version: number, mode: number): void {
    const { resources } = this;
    const newest = resources.version[resource] as number;
    if (mode !== AccessMode.read && newest + 1 >= MOST_VERSIONS) {
      throw this.#error(
        'graph-too-large',
        `writes "${resources.name(resource)}", which ${newest} passes of this frame have written. No more are possible.`,
      );
    }
    const writer = resources.writer[resource] as number;
    if (version === newest || writer === this.passCount) return;
    const writtenBy = `that the pass "${this.passes[writer]?.name}" has`;
    throw mode === AccessMode.read
      ? this.#error(
          'graph-outdated-version',
          `reads contents of "${resources.name(resource)}" ${writtenBy} overwritten. Read them in a pass before it, or read what it returned (findTexture() and findBuffer() give the newest).`,
        )
      : this.#error(
          'graph-two-writers',
          `writes to contents of "${resources.name(resource)}" ${writtenBy} written to already. Write to what it returned (findTexture() and findBuffer() give the newest).`,
        );
  }

  #find(name: string, isTexture: boolean): number {
    const { resources } = this;
    const resource = resources.indexOf(name);
    if (resource >= 0 && resources.field(resource, ResourceField.isTexture) === Number(isTexture)) {
      return resources.newest(resource);
    }
    const known = Array.from({ length: resources.count }, (_, index) => `"${resources.name(index)}"`);
    throw this.#error(
      'graph-resource-unknown',
      `asks for the ${isTexture ? 'texture' : 'buffer'} "${name}", which is not there at this point of the frame. There are: ${known.join(', ') || 'none'}.`,
    );
  }

  /** The number of a use that `read`, `write` or `modify` declares. */
  #use(handle: number, name: string, access: 'read' | 'write'): number {
    const resource = this.#resourceOf(handle);
    const isTexture = this.resources.field(resource, ResourceField.isTexture) === 1;
    const use = findUse(isTexture, name);
    const kind = this.#pass?.kind;
    const isCopy = name === 'copy-source' || name === 'copy-target';
    const isAllowed = use !== undefined && (use.access === 'either' || use.access === access);
    if (isAllowed && isCopy === (kind === 'copy')) return use.index;
    throw this.#error(
      'graph-use-refused',
      `declares to ${access} the ${isTexture ? 'texture' : 'buffer'} "${this.resources.name(resource)}" as ${JSON.stringify(name)}, which a ${kind} pass can't. Uses are ${useNames(isTexture)}; copies belong to copy passes, and attachments are declared by color() and depth().`,
    );
  }

  #resourceOf(handle: number): number {
    this.#checkInSetup();
    const resource = this.resources.find(handle);
    if (resource >= 0) return resource;
    throw this.#error(
      'graph-handle-stale',
      `uses ${String(handle)}, which is no handle of this frame. Handles of the graph last one frame: take them in each set-up from createTexture(), createBuffer() or find…().`,
    );
  }

  #checkInSetup(): void {
    if (this.#pass !== undefined) return;
    throw new GraphError(
      'graph-outside-setup',
      'A pass builder was used after the set-up that it was given to. Declare everything before setup() returns; execute() uses what was declared.',
    );
  }

  #error(code: string, message: string): GraphError {
    return new GraphError(code, `The pass "${this.#pass?.name}" ${message}`);
  }
}

/** Queues by the kinds of passes that can run there. */
const queuesOf = {
  raster: ['automatic', 'graphics'],
  compute: ['automatic', 'graphics', 'compute'],
  copy: passQueues,
} as const satisfies Record<GraphPassKind, readonly GraphQueue[]>;

function checkPass({ name, kind, queue = 'automatic', setup, execute }: GraphPass): void {
  const isNamed = typeof name === 'string' && name !== '';
  const isCallable = typeof setup === 'function' && typeof execute === 'function';
  if (!isNamed || !isCallable || !passKinds.includes(kind)) {
    throw new GraphError(
      'graph-pass-invalid',
      `A pass of the frame graph needs a name, a kind (${passKinds.join(', ')}) and the functions setup and execute. Got the name ${JSON.stringify(name)}, the kind ${JSON.stringify(kind)}, setup as ${typeof setup}, execute as ${typeof execute}.`,
    );
  }
  const queues: readonly GraphQueue[] = queuesOf[kind];
  if (queues.includes(queue)) return;
  throw new GraphError(
    'graph-queue-refused',
    `The ${kind} pass "${name}" can't run on the queue ${JSON.stringify(queue)}. It can run on: ${queues.join(', ')}.`,
  );
}
