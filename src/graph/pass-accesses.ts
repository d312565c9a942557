import { GraphError } from '../core/errors.js';
import { isDepthFormat } from '../rhi/commands/texel-levels.js';
import { AccessField, AccessMode, Declaration, ResourceField, WHOLE } from './declarations.js';
import type { Subresource } from './graph-pass.js';
import type { GraphSetup } from './graph-setup.js';
import { Attachment, isAttachment, resourceUses } from './resource-uses.js';

/** The accesses of one pass, checked against each other. */
export class PassAccesses {
  readonly #setup: GraphSetup;
  readonly #pass: string;
  /** Index at which the declarations of the pass begin. */
  #from = 0;

  constructor(setup: GraphSetup, pass: string) {
    this.#setup = setup;
    this.#pass = pass;
  }

  /** Begins the pass's set-up: later declarations belong to it. */
  begin(): void {
    this.#from = this.#setup.declarations.length;
  }

  /**
   * Returns whether the pass has declared an access to a resource. Valid from the pass's set-up to the end of
   * the frame.
   */
  has(resource: number): boolean {
    for (let at = this.#accessFrom(this.#from); at >= 0; at = this.#accessAfter(at)) {
      if (this.#field(at, AccessField.resource) === resource) return true;
    }
    return false;
  }

  /** Returns whether the pass has declared a write to a resource. */
  writes(resource: number): boolean {
    for (let at = this.#accessFrom(this.#from); at >= 0; at = this.#accessAfter(at)) {
      if (this.#field(at, AccessField.resource) === resource && this.#isWrite(at)) return true;
    }
    return false;
  }

  isSlotTaken(slot: number): boolean {
    for (let at = this.#accessFrom(this.#from); at >= 0; at = this.#accessAfter(at)) {
      const isColor = this.#field(at, AccessField.use) === Attachment.color;
      if (isColor && this.#field(at, AccessField.slot) === slot) return true;
    }
    return false;
  }

  /** Checks that the pass may declare this access in addition to its earlier ones. @throws GraphError */
  check(resource: number, use: number, mode: number, { mipLevel = WHOLE, layer = WHOLE }: Subresource): void {
    this.#checkPlace(resource, use, mipLevel, layer);
    this.#checkOverlap(resource, use, mode, mipLevel, layer);
  }

  /** Checks that a raster pass has attachments, all with one size and one sample count. @throws GraphError */
  checkAttachments(): void {
    let first = -1;
    for (let at = this.#accessFrom(this.#from); at >= 0; at = this.#accessAfter(at)) {
      if (!isAttachment(this.#field(at, AccessField.use))) continue;
      if (first < 0) first = at;
      else this.#checkSize(first, at);
    }
    if (first >= 0) return;
    throw this.#error(
      'graph-attachment-invalid',
      'is a raster pass without attachments. Declare one by color() or depth().',
    );
  }

  #checkSize(first: number, at: number): void {
    const isResolved = this.#field(at, AccessField.use) === Attachment.resolve;
    const samples = isResolved ? 1 : this.#ofResource(first, ResourceField.sampleCount);
    const isSame =
      this.#length(at, ResourceField.width) === this.#length(first, ResourceField.width) &&
      this.#length(at, ResourceField.height) === this.#length(first, ResourceField.height) &&
      this.#ofResource(at, ResourceField.sampleCount) === samples;
    if (isSame) return;
    throw this.#error(
      'graph-attachment-invalid',
      `attaches ${this.#describe(first)} and ${this.#describe(at)}. All attachments of a pass need the same size and sample count; resolve targets have 1 sample.`,
    );
  }

  #describe(at: number): string {
    const name = this.#setup.resources.name(this.#field(at, AccessField.resource));
    const width = this.#length(at, ResourceField.width);
    const height = this.#length(at, ResourceField.height);
    return `"${name}" (${width} × ${height}, samples: ${this.#ofResource(at, ResourceField.sampleCount)})`;
  }

  /** Returns the width or height of the access's mip level. */
  #length(at: number, field: number): number {
    const level = Math.max(0, this.#field(at, AccessField.mipLevel));
    return Math.max(1, this.#ofResource(at, field) >> level);
  }

  #ofResource(at: number, field: number): number {
    return this.#setup.resources.field(this.#field(at, AccessField.resource), field);
  }

  #checkPlace(resource: number, use: number, mipLevel: number, layer: number): void {
    const { resources } = this.#setup;
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
    const format = resources.format(resource);
    if (isDepth !== isDepthFormat(format)) {
      throw this.#error(
        'graph-attachment-invalid',
        `attaches "${resources.name(resource)}" as ${isDepth ? 'depth' : 'colour'}; its format is ${format}.`,
      );
    }
  }

  /** Checks that one pass does not both read and write, or write twice, a buffer or the same part of a texture. */
  #checkOverlap(resource: number, use: number, mode: number, mipLevel: number, layer: number): void {
    const isWrite = mode !== AccessMode.read;
    for (let at = this.#accessFrom(this.#from); at >= 0; at = this.#accessAfter(at)) {
      const isSamePlace =
        this.#field(at, AccessField.resource) === resource &&
        overlaps(mipLevel, this.#field(at, AccessField.mipLevel)) &&
        overlaps(layer, this.#field(at, AccessField.layer));
      if (isSamePlace && (isWrite || this.#isWrite(at))) throw this.#overlap(at, resource, use, isWrite);
    }
  }

  #overlap(other: number, resource: number, use: number, isWrite: boolean): GraphError {
    const name = this.#setup.resources.name(resource);
    const otherUse = resourceUses[this.#field(other, AccessField.use)]?.name;
    const uses = `as ${otherUse} and as ${resourceUses[use]?.name}`;
    return isWrite && this.#isWrite(other)
      ? this.#error(
          'graph-two-writers',
          `writes "${name}" twice, ${uses}. Write to another resource, level or layer in one of the two.`,
        )
      : this.#error(
          'graph-cycle',
          `reads and writes "${name}", ${uses}, so that its contents depend on themselves. Read a copy, or the contents of the last frame.`,
        );
  }

  #isWrite(at: number): boolean {
    return this.#field(at, AccessField.mode) !== AccessMode.read;
  }

  #accessAfter(at: number): number {
    return this.#accessFrom(this.#setup.declarations.next(at));
  }

  /** Returns the index of the pass's first access at or after a declaration; -1 if it has none. */
  #accessFrom(declaration: number): number {
    const { declarations } = this.#setup;
    const { numbers, length } = declarations;
    for (let at = declaration; at < length; at = declarations.next(at)) {
      if (numbers[at] === Declaration.pass) return -1;
      if (numbers[at] === Declaration.access) return at;
    }
    return -1;
  }

  #field(at: number, field: number): number {
    return this.#setup.declarations.numbers[at + 1 + field] as number;
  }

  #error(code: string, message: string): GraphError {
    return new GraphError(code, `The pass "${this.#pass}" ${message}`);
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
