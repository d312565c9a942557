import { GraphError } from '../core/errors.js';
import { AccessField, AccessMode, Declaration, ResourceField } from './declarations.js';
import { checkAttachment, checkBuffer, checkName, checkTexture } from './descriptor-checks.js';
import { MOST_VERSIONS } from './graph-handles.js';
import type {
  ColorOptions,
  DepthOptions,
  GraphBuffer,
  GraphBufferDescriptor,
  GraphPassKind,
  GraphTexture,
  GraphTextureDescriptor,
  PassBuilder,
  Subresource,
} from './graph-pass.js';
import type { GraphSetup } from './graph-setup.js';
import { PassAccesses } from './pass-accesses.js';
import {
  Attachment,
  type BufferUse,
  findUse,
  isAttachment,
  type TextureUse,
  useNames,
} from './resource-uses.js';

const EVERYWHERE: Subresource = {};
const MOST_SLOTS = 8;

/** The builder of one pass. Checks each declaration of the pass, and then adds the declaration to the set-up. */
export class CheckedBuilder implements PassBuilder {
  readonly #setup: GraphSetup;
  readonly #accesses: PassAccesses;
  readonly #pass: string;
  readonly #kind: GraphPassKind;
  readonly #suffix: string;
  #isInSetup = false;

  /**
   * @param suffix appended to the names of the pass's resources, to distinguish them from the resources of the same
   *   pass in another view
   */
  constructor(setup: GraphSetup, pass: string, kind: GraphPassKind, suffix: string) {
    this.#setup = setup;
    this.#pass = pass;
    this.#kind = kind;
    this.#suffix = suffix;
    this.#accesses = new PassAccesses(setup, pass);
  }

  /** Whether the pass has created a resource of this frame. */
  hasCreated = false;

  begin(): void {
    this.#accesses.begin();
    this.#isInSetup = true;
    this.hasCreated = false;
  }

  end(): void {
    this.#isInSetup = false;
  }

  /**
   * Checks that a raster pass has attachments, all with one size and one sample count.
   * @throws GraphError `graph-attachment-invalid`
   */
  checkAttachments(): void {
    if (this.#kind === 'raster') this.#accesses.checkAttachments();
  }

  /**
   * Checks that the pass has declared a resource.
   * @throws GraphError `graph-access-undeclared`, `graph-handle-stale`
   */
  checkDeclared(handle: number): void {
    const { resources } = this.#setup;
    const resource = resources.handles.find(handle);
    if (resource < 0) throw this.#stale(handle);
    if (this.#accesses.has(resource)) return;
    throw new GraphError(
      'graph-access-undeclared',
      `The pass "${this.#pass}" uses "${resources.name(resource)}" without having declared it. Declare it in setup(), by read(), write(), modify(), color() or depth().`,
    );
  }

  createTexture(descriptor: GraphTextureDescriptor): GraphTexture {
    this.checkInSetup();
    checkTexture(descriptor);
    this.hasCreated = true;
    return this.#setup.createTexture(this.named(descriptor));
  }

  createBuffer(descriptor: GraphBufferDescriptor): GraphBuffer {
    this.checkInSetup();
    checkBuffer(descriptor);
    this.hasCreated = true;
    return this.#setup.createBuffer(this.named(descriptor));
  }

  findTexture(name: string): GraphTexture {
    return this.#setup.findTexture(this.#found(name, true));
  }

  findBuffer(name: string): GraphBuffer {
    return this.#setup.findBuffer(this.#found(name, false));
  }

  has(name: string): boolean {
    return this.#setup.has(this.#nearest(name));
  }

  read(resource: GraphTexture, use: TextureUse, where?: Subresource): void;
  read(resource: GraphBuffer, use: BufferUse): void;
  read(resource: number, use: TextureUse | BufferUse, where?: Subresource): void {
    this.#check(resource, this.#use(resource, use, 'read'), AccessMode.read, where);
    this.#setup.read(resource as GraphTexture, use as TextureUse, where);
  }

  write(resource: GraphTexture, use: TextureUse, where?: Subresource): GraphTexture;
  write(resource: GraphBuffer, use: BufferUse): GraphBuffer;
  write(resource: number, use: TextureUse | BufferUse, where?: Subresource): GraphTexture & GraphBuffer {
    this.#check(resource, this.#use(resource, use, 'write'), AccessMode.write, where);
    const written: number = this.#setup.write(resource as GraphTexture, use as TextureUse, where);
    return written as GraphTexture & GraphBuffer;
  }

  modify(resource: GraphTexture, use: TextureUse, where?: Subresource): GraphTexture;
  modify(resource: GraphBuffer, use: BufferUse): GraphBuffer;
  modify(resource: number, use: TextureUse | BufferUse, where?: Subresource): GraphTexture & GraphBuffer {
    this.#check(resource, this.#use(resource, use, 'write'), AccessMode.modify, where);
    const written: number = this.#setup.modify(resource as GraphTexture, use as TextureUse, where);
    return written as GraphTexture & GraphBuffer;
  }

  color(texture: GraphTexture, options: ColorOptions = EVERYWHERE): GraphTexture {
    checkAttachment(this.#pass, 'color', options);
    const { clear, resolveTo, slot = this.#setup.nextSlot } = options;
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
    this.#check(texture, Attachment.color, clear ? AccessMode.write : AccessMode.modify, options);
    if (resolveTo !== undefined) this.#check(resolveTo, Attachment.resolve, AccessMode.write);
    return this.#setup.color(texture, options);
  }

  depth(texture: GraphTexture, options: DepthOptions = EVERYWHERE): GraphTexture {
    checkAttachment(this.#pass, 'depth', options);
    const { clear, readOnly = false } = options;
    if (clear !== undefined && !(clear >= 0 && clear <= 1)) {
      throw this.#error('graph-attachment-invalid', `clears depth to ${clear}: depth lies between 0 and 1.`);
    }
    const use = readOnly ? Attachment.depthRead : Attachment.depth;
    const writing = clear === undefined ? AccessMode.modify : AccessMode.write;
    this.#check(texture, use, readOnly ? AccessMode.read : writing, options);
    return this.#setup.depth(texture, options);
  }

  keep(): void {
    this.checkInSetup();
    this.#setup.keep();
  }

  /** Checks one access of the pass. @throws GraphError */
  #check(handle: number, use: number, mode: number, where: Subresource = EVERYWHERE): void {
    const resource = this.resourceOf(handle);
    const { resources } = this.#setup;
    if (isAttachment(use) && this.#kind !== 'raster') {
      throw this.#error(
        'graph-use-refused',
        `attaches "${resources.name(resource)}"; only raster passes have attachments.`,
      );
    }
    this.#checkVersion(resource, resources.handles.versionOf(handle), mode);
    const needsContents = mode === AccessMode.read || (mode === AccessMode.modify && !isAttachment(use));
    const newest = resources.version[resource] as number;
    if (needsContents && newest === 0 && resources.field(resource, ResourceField.hasContents) === 0) {
      throw this.#error(
        'graph-nothing-written',
        `reads "${resources.name(resource)}", which no pass before it has written. Add the pass that writes it earlier, or write it here.`,
      );
    }
    this.#accesses.check(resource, use, mode, where);
  }

  /**
   * Checks that the pass uses the newest version. A pass that writes the resource itself may also use older versions,
   * because its writes to several levels or layers belong together.
   */
  #checkVersion(resource: number, version: number, mode: number): void {
    const { resources } = this.#setup;
    const newest = resources.version[resource] as number;
    if (mode !== AccessMode.read && newest + 1 >= MOST_VERSIONS) {
      throw this.#error(
        'graph-too-large',
        `writes "${resources.name(resource)}", which ${newest} passes of this frame have written. No more are possible.`,
      );
    }
    if (version === newest || this.#accesses.writes(resource)) return;
    const writtenBy = `that the pass "${this.#writerOf(resource, newest)}" has`;
    throw mode === AccessMode.read
      ? this.#error(
          'graph-outdated-version',
          `reads contents of "${resources.name(resource)}" ${writtenBy} overwritten. Read the old contents in an earlier pass, or read the newest handle, which findTexture() and findBuffer() return.`,
        )
      : this.#error(
          'graph-two-writers',
          `writes to contents of "${resources.name(resource)}" ${writtenBy} written to already. Write to the newest handle, which findTexture() and findBuffer() return.`,
        );
  }

  /** Returns the name of the pass that wrote this version of the resource; '' if none did. */
  #writerOf(resource: number, version: number): string {
    const { declarations, passes } = this.#setup;
    const { numbers, length } = declarations;
    let pass = -1;
    for (let at = 0; at < length; at = declarations.next(at)) {
      if (numbers[at] === Declaration.pass) pass++;
      const isIt =
        numbers[at] === Declaration.access &&
        numbers[at + 1 + AccessField.resource] === resource &&
        numbers[at + 1 + AccessField.version] === version &&
        numbers[at + 1 + AccessField.mode] !== AccessMode.read;
      if (isIt) return passes[pass]?.name ?? '';
    }
    return '';
  }

  /**
   * Returns the descriptor with the suffix of the pass's view appended to the name.
   * @throws GraphError `graph-name-taken`, `graph-too-large`
   */
  protected named<Descriptor extends { readonly name: string }>(descriptor: Descriptor): Descriptor {
    const { name } = descriptor;
    const isOther = this.#suffix !== '' && typeof name === 'string' && name !== '';
    const named = isOther ? { ...descriptor, name: `${name}${this.#suffix}` } : descriptor;
    checkName(named.name, this.#setup.resources);
    return named;
  }

  /**
   * Returns the name with the suffix of the pass's view if such a resource exists, and otherwise the name
   * itself.
   */
  #nearest(name: string): string {
    const own = `${name}${this.#suffix}`;
    return this.#setup.has(own) ? own : name;
  }

  /** Returns the full name of an existing texture or buffer. @throws GraphError `graph-resource-unknown` */
  #found(name: string, isTexture: boolean): string {
    this.checkInSetup();
    const { resources } = this.#setup;
    const nearest = this.#nearest(name);
    const resource = resources.indexOf(nearest);
    const isFound = resource >= 0 && resources.field(resource, ResourceField.isTexture) === Number(isTexture);
    if (isFound) return nearest;
    const known = Array.from({ length: resources.count }, (_, index) => `"${resources.name(index)}"`);
    throw this.#error(
      'graph-resource-unknown',
      `asks for the ${isTexture ? 'texture' : 'buffer'} "${name}", which does not exist at this point of the frame. Existing resources: ${known.join(', ') || 'none'}.`,
    );
  }

  /** Returns the index of a use that `read`, `write` or `modify` declares. */
  #use(handle: number, name: string, access: 'read' | 'write'): number {
    const resource = this.resourceOf(handle);
    const { resources } = this.#setup;
    const isTexture = resources.field(resource, ResourceField.isTexture) === 1;
    const use = findUse(isTexture, name);
    const isCopy = name === 'copy-source' || name === 'copy-target';
    const isAllowed = use !== undefined && (use.access === 'either' || use.access === access);
    if (isAllowed && isCopy === (this.#kind === 'copy')) return use.index;
    throw this.#error(
      'graph-use-refused',
      `declares to ${access} the ${isTexture ? 'texture' : 'buffer'} "${resources.name(resource)}" as ${JSON.stringify(name)}, which a ${this.#kind} pass can't. Uses are ${useNames(isTexture)}; copies belong to copy passes, and attachments are declared by color() and depth().`,
    );
  }

  /** Returns the resource of a handle. @throws GraphError `graph-handle-stale`, `graph-outside-setup` */
  protected resourceOf(handle: number): number {
    this.checkInSetup();
    const resource = this.#setup.resources.handles.find(handle);
    if (resource >= 0) return resource;
    throw this.#stale(handle);
  }

  #stale(handle: number): GraphError {
    return this.#error(
      'graph-handle-stale',
      `uses ${String(handle)}, which is not a handle of this frame. Handles of the graph last one frame: take them in each set-up from createTexture(), createBuffer() or find…().`,
    );
  }

  /** Checks that the pass's `setup` is running. @throws GraphError `graph-outside-setup` */
  protected checkInSetup(): void {
    if (this.#isInSetup) return;
    throw this.#error(
      'graph-outside-setup',
      'used its builder after set-up. Declare everything before setup() returns; execute() uses what was declared.',
    );
  }

  #error(code: string, message: string): GraphError {
    return new GraphError(code, `The pass "${this.#pass}" ${message}`);
  }
}
