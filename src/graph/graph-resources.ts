import { GraphError } from '../core/errors.js';
import { Declaration, type Declarations, ResourceField } from './declarations.js';
import { handleResource, handleSetup, MOST_RESOURCES, MOST_SETUPS, packHandle } from './graph-handles.js';
import type { GraphBufferDescriptor, GraphTextureDescriptor } from './graph-pass.js';
import { formatNumber } from './texture-formats.js';

/** Where a resource comes from, and who wants it. */
export interface Origin {
  readonly isImported: boolean;
  /** It holds something before the first pass. */
  readonly hasContents: boolean;
  /** Somebody outside wants its last version. */
  readonly isResult: boolean;
}

export const TRANSIENT: Origin = { isImported: false, hasContents: false, isResult: false };

/** The resources of the set-up that is going on: their declarations, newest versions and last writers, by number. */
export class GraphResources {
  count = 0;
  /** By resource: the newest version of its contents, and the pass that wrote it; -1: none. */
  readonly version: number[] = [];
  readonly writer: number[] = [];
  readonly #nameAt: number[] = [];
  readonly #fieldsAt: number[] = [];
  /** Of this set-up or an earlier one: in frames of one shape nothing is added. */
  readonly #byName = new Map<string, number>();
  readonly #declarations: Declarations;
  #setup = 0;

  constructor(declarations: Declarations) {
    this.#declarations = declarations;
  }

  /** Per frame. */
  begin(): void {
    if (this.#byName.size > MOST_RESOURCES) this.#byName.clear();
    this.#setup = (this.#setup + 1) % MOST_SETUPS;
    this.count = 0;
  }

  field(resource: number, field: number): number {
    return this.#declarations.numbers[(this.#fieldsAt[resource] as number) + field] as number;
  }

  name(resource: number): string {
    return this.#declarations.names[this.#nameAt[resource] as number] as string;
  }

  /** -1: there is none of this name. */
  indexOf(name: string): number {
    const resource = this.#byName.get(name) ?? -1;
    return resource < this.count && this.#isNamed(resource, name) ? resource : -1;
  }

  #isNamed(resource: number, name: string): boolean {
    return resource >= 0 && this.name(resource) === name;
  }

  /** The handle of the newest version. */
  newest(resource: number): number {
    return packHandle(this.#setup, resource, this.version[resource] as number);
  }

  /** The resource of a handle of this set-up; -1 for any other. */
  find(handle: number): number {
    if (typeof handle !== 'number' || handleSetup(handle) !== this.#setup) return -1;
    const resource = handleResource(handle);
    return resource < this.count ? resource : -1;
  }

  /** @returns its number. @throws GraphError `graph-descriptor-invalid`, `graph-name-taken`, `graph-too-large` */
  addTexture(descriptor: GraphTextureDescriptor, origin: Origin): number {
    const { name, width, height, format, sampleCount = 1, mipLevelCount = 1, layers = 1 } = descriptor;
    const isMultisampled = sampleCount === 4 && mipLevelCount === 1 && layers === 1;
    const mostLevels = 1 + Math.floor(Math.log2(Math.max(width, height)));
    if (
      !isCount(width) ||
      !isCount(height) ||
      !isCount(layers) ||
      !isCount(mipLevelCount) ||
      mipLevelCount > mostLevels ||
      !(sampleCount === 1 || isMultisampled) ||
      typeof format !== 'string'
    ) {
      throw new GraphError(
        'graph-descriptor-invalid',
        `The texture "${name}" of the frame graph can't have ${width} × ${height} texels, ${layers} layers, ${mipLevelCount} mip levels, ${sampleCount} samples of ${format}. Sizes are whole numbers from 1; mip levels are at most ${mostLevels}; there are 1 or 4 samples, 4 only with one level and one layer.`,
      );
    }
    const at = this.#add(name, origin);
    const { numbers } = this.#declarations;
    numbers[at + ResourceField.isTexture] = 1;
    numbers[at + ResourceField.width] = width;
    numbers[at + ResourceField.height] = height;
    numbers[at + ResourceField.layers] = layers;
    numbers[at + ResourceField.format] = formatNumber(format);
    numbers[at + ResourceField.sampleCount] = sampleCount;
    numbers[at + ResourceField.mipLevelCount] = mipLevelCount;
    return this.count - 1;
  }

  /** @returns its number. @throws GraphError as `addTexture` */
  addBuffer({ name, byteLength }: GraphBufferDescriptor, origin: Origin): number {
    if (!isCount(byteLength) || byteLength % 4 !== 0) {
      throw new GraphError(
        'graph-descriptor-invalid',
        `The buffer "${name}" of the frame graph can't have ${byteLength} bytes: a positive multiple of 4 is needed.`,
      );
    }
    const at = this.#add(name, origin);
    this.#declarations.numbers[at + ResourceField.width] = byteLength;
    return this.count - 1;
  }

  #add(name: string, origin: Origin): number {
    if (typeof name !== 'string' || name === '' || this.indexOf(name) >= 0) {
      throw new GraphError(
        'graph-name-taken',
        `A resource of the frame graph can't be named ${JSON.stringify(name)}: each has a name of its own in a frame. Take what is there by findTexture() or findBuffer(), or choose another name.`,
      );
    }
    const resource = this.count;
    if (resource >= MOST_RESOURCES) {
      throw new GraphError(
        'graph-too-large',
        `The frame graph has no room for "${name}": it has ${MOST_RESOURCES} resources, which is the most.`,
      );
    }
    const declarations = this.#declarations;
    const at = declarations.add(Declaration.resource);
    this.#nameAt[resource] = declarations.nameCount;
    this.#fieldsAt[resource] = at;
    this.version[resource] = 0;
    this.writer[resource] = -1;
    this.count = resource + 1;
    declarations.addName(name);
    if (this.#byName.get(name) !== resource) this.#byName.set(name, resource);
    const { numbers } = declarations;
    numbers[at + ResourceField.isImported] = Number(origin.isImported);
    numbers[at + ResourceField.hasContents] = Number(origin.hasContents);
    numbers[at + ResourceField.isResult] = Number(origin.isResult);
    return at;
  }
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 1;
}
