import { GraphError } from '../core/errors.js';
import { isDepthFormat } from '../rhi/commands/texture-bytes.js';
import {
  AccessField,
  AccessMode,
  Declaration,
  type Declarations,
  ResourceField,
  WHOLE,
} from './declarations.js';
import type { GraphResources } from './graph-resources.js';
import { Attachment, isAttachment, resourceUses } from './resource-uses.js';
import { formatOfNumber } from './texture-formats.js';

/** The accesses of the pass in set-up: declared, checked against each other, and taken back when set-up fails. */
export class PassAccesses {
  readonly #declarations: Declarations;
  readonly #resources: GraphResources;
  /** By access: where its numbers are, and the version and writer that were the newest before it. */
  readonly #at: number[] = [];
  readonly #versionBefore: number[] = [];
  readonly #writerBefore: number[] = [];
  #count = 0;
  #pass = -1;
  #name = '';

  constructor(declarations: Declarations, resources: GraphResources) {
    this.#declarations = declarations;
    this.#resources = resources;
  }

  begin(pass: number, name: string): void {
    this.#pass = pass;
    this.#name = name;
    this.#count = 0;
  }

  /**
   * Adds an access to the newest version of a resource.
   *
   * @returns where its numbers are
   * @throws GraphError
   */
  add(resource: number, use: number, mode: number, mipLevel: number, layer: number): number {
    this.#checkPlace(resource, use, mipLevel, layer);
    this.#checkOverlap(resource, use, mode, mipLevel, layer);
    const { version, writer } = this.#resources;
    const before = version[resource] as number;
    const at = this.#declarations.add(Declaration.access);
    const index = this.#count++;
    this.#at[index] = at;
    this.#versionBefore[index] = before;
    this.#writerBefore[index] = writer[resource] as number;
    const { numbers } = this.#declarations;
    const isPart = mode === AccessMode.write && this.#isPart(resource, mipLevel, layer);
    numbers[at + AccessField.resource] = resource;
    numbers[at + AccessField.version] = mode === AccessMode.read ? before : before + 1;
    numbers[at + AccessField.use] = use;
    numbers[at + AccessField.mipLevel] = mipLevel;
    numbers[at + AccessField.layer] = layer;
    numbers[at + AccessField.mode] = isPart ? AccessMode.modify : mode;
    if (mode !== AccessMode.read) {
      version[resource] = before + 1;
      writer[resource] = this.#pass;
    }
    return at;
  }

  undo(): void {
    const { version, writer } = this.#resources;
    for (let index = this.#count - 1; index >= 0; index--) {
      const resource = this.#declarations.numbers[this.#at[index] as number] as number;
      version[resource] = this.#versionBefore[index] as number;
      writer[resource] = this.#writerBefore[index] as number;
    }
    this.#count = 0;
  }

  isSlotTaken(slot: number): boolean {
    for (let index = 0; index < this.#count; index++) {
      const isColor = this.#field(index, AccessField.use) === Attachment.color;
      if (isColor && this.#field(index, AccessField.slot) === slot) return true;
    }
    return false;
  }

  /** Of the lowest colour attachment without one; attachments are few. */
  nextSlot(): number {
    let slot = 0;
    while (this.isSlotTaken(slot)) slot++;
    return slot;
  }

  /** A raster pass has attachments, all of one size and with as many samples. @throws GraphError */
  checkAttachments(): void {
    let first = -1;
    for (let index = 0; index < this.#count; index++) {
      if (!isAttachment(this.#field(index, AccessField.use))) continue;
      if (first === -1) first = index;
      else this.#checkSize(first, index);
    }
    if (first === -1) {
      throw this.#error(
        'graph-attachment-invalid',
        'is a raster pass without attachments. Declare one by color() or depth().',
      );
    }
  }

  #checkSize(first: number, index: number): void {
    const isResolved = this.#field(index, AccessField.use) === Attachment.resolve;
    const samples = isResolved ? 1 : this.#ofResource(first, ResourceField.sampleCount);
    const isSame =
      this.#length(index, ResourceField.width) === this.#length(first, ResourceField.width) &&
      this.#length(index, ResourceField.height) === this.#length(first, ResourceField.height) &&
      this.#ofResource(index, ResourceField.sampleCount) === samples;
    if (isSame) return;
    throw this.#error(
      'graph-attachment-invalid',
      `attaches ${this.#describe(first)} and ${this.#describe(index)}. All attachments of a pass have one size and as many samples; what they are resolved to has one.`,
    );
  }

  #describe(index: number): string {
    const name = this.#resources.name(this.#field(index, AccessField.resource));
    const width = this.#length(index, ResourceField.width);
    const height = this.#length(index, ResourceField.height);
    return `"${name}" (${width} × ${height}, samples: ${this.#ofResource(index, ResourceField.sampleCount)})`;
  }

  /** Width or height of the mip level that an access is about. */
  #length(index: number, field: number): number {
    const level = Math.max(0, this.#field(index, AccessField.mipLevel));
    return Math.max(1, this.#ofResource(index, field) >> level);
  }

  #ofResource(index: number, field: number): number {
    return this.#resources.field(this.#field(index, AccessField.resource), field);
  }

  #isPart(resource: number, mipLevel: number, layer: number): boolean {
    const resources = this.#resources;
    return (
      (mipLevel !== WHOLE && resources.field(resource, ResourceField.mipLevelCount) > 1) ||
      (layer !== WHOLE && resources.field(resource, ResourceField.layers) > 1)
    );
  }

  #checkPlace(resource: number, use: number, mipLevel: number, layer: number): void {
    const resources = this.#resources;
    if (resources.field(resource, ResourceField.isTexture) === 0) return;
    const levels = resources.field(resource, ResourceField.mipLevelCount);
    const layers = resources.field(resource, ResourceField.layers);
    const isOne = (mipLevel !== WHOLE || levels === 1) && (layer !== WHOLE || layers === 1);
    if (!isWithin(mipLevel, levels) || !isWithin(layer, layers) || (isAttachment(use) && !isOne)) {
      throw this.#error(
        'graph-attachment-invalid',
        `uses mip level ${placeName(mipLevel)}, layer ${placeName(layer)} of "${resources.name(resource)}", which has ${levels} levels and ${layers} layers. An attachment is one level of one layer.`,
      );
    }
    if (!isAttachment(use)) return;
    const isDepth = use === Attachment.depth || use === Attachment.depthRead;
    const format = formatOfNumber(resources.field(resource, ResourceField.format));
    if (isDepth !== isDepthFormat(format)) {
      throw this.#error(
        'graph-attachment-invalid',
        `attaches "${resources.name(resource)}" as ${isDepth ? 'depth' : 'colour'}; its format is ${format}.`,
      );
    }
  }

  /** In one pass, a texture is written where it is not read, and each place once. */
  #checkOverlap(resource: number, use: number, mode: number, mipLevel: number, layer: number): void {
    for (let index = 0; index < this.#count; index++) {
      if (this.#field(index, AccessField.resource) !== resource) continue;
      const otherMode = this.#field(index, AccessField.mode);
      if (mode === AccessMode.read && otherMode === AccessMode.read) continue;
      if (!overlaps(mipLevel, this.#field(index, AccessField.mipLevel))) continue;
      if (!overlaps(layer, this.#field(index, AccessField.layer))) continue;
      const name = this.#resources.name(resource);
      const other = resourceUses[this.#field(index, AccessField.use)]?.name;
      const uses = `as ${other} and as ${resourceUses[use]?.name}`;
      throw mode !== AccessMode.read && otherMode !== AccessMode.read
        ? this.#error(
            'graph-two-writers',
            `writes "${name}" twice, ${uses}. One of them has to be another resource, level or layer.`,
          )
        : this.#error(
            'graph-cycle',
            `reads and writes "${name}", ${uses}, so that its contents depend on themselves. Read a copy, or the contents of the last frame.`,
          );
    }
  }

  #field(index: number, field: number): number {
    return this.#declarations.numbers[(this.#at[index] as number) + field] as number;
  }

  #error(code: string, message: string): GraphError {
    return new GraphError(code, `The pass "${this.#name}" ${message}`);
  }
}

function isWithin(index: number, count: number): boolean {
  return index === WHOLE || (Number.isInteger(index) && index >= 0 && index < count);
}

function overlaps(first: number, second: number): boolean {
  return first === WHOLE || second === WHOLE || first === second;
}

function placeName(index: number): string {
  return index === WHOLE ? 'all' : String(index);
}
