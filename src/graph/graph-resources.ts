import { Declaration, type Declarations, ResourceField } from './declarations.js';
import { GraphHandles, MOST_RESOURCES } from './graph-handles.js';
import type { GraphBufferDescriptor, GraphTextureDescriptor } from './graph-pass.js';

/** Relation of a resource to code outside the graph. */
export interface Origin {
  readonly isImported: boolean;
  /** Whether the resource has contents before the first pass. */
  readonly hasContents: boolean;
  /** Whether code outside the graph uses the last version of the resource. */
  readonly isResult: boolean;
}

export const TRANSIENT: Origin = { isImported: false, hasContents: false, isResult: false };

/** The resources of the current set-up: their declarations and newest versions, by number. */
export class GraphResources {
  count = 0;
  /** Newest versions, by resource number. */
  readonly version: number[] = [];
  readonly handles = new GraphHandles();
  /** Handles of the newest versions, by resource number. */
  readonly #newest: number[] = [];
  readonly #nameAt: number[] = [];
  readonly #fieldsAt: number[] = [];
  /** Resource numbers by name. Entries of earlier set-ups stay, so frames of the same shape add none. */
  readonly #byName = new Map<string, number>();
  readonly #declarations: Declarations;

  constructor(declarations: Declarations) {
    this.#declarations = declarations;
  }

  /** Begins a set-up. Called per frame. */
  begin(): void {
    if (this.#byName.size > MOST_RESOURCES) this.#byName.clear();
    this.handles.begin();
    this.count = 0;
  }

  field(resource: number, field: number): number {
    return this.#declarations.numbers[(this.#fieldsAt[resource] as number) + field] as number;
  }

  format(resource: number): GPUTextureFormat {
    return this.#declarations.formatOf(this.field(resource, ResourceField.format));
  }

  name(resource: number): string {
    return this.#declarations.names[this.#nameAt[resource] as number] as string;
  }

  /** Returns the number of the resource with this name; -1 if it does not exist. */
  indexOf(name: string): number {
    const resource = this.#byName.get(name) ?? -1;
    return resource < this.count && this.#isNamed(resource, name) ? resource : -1;
  }

  #isNamed(resource: number, name: string): boolean {
    return resource >= 0 && this.name(resource) === name;
  }

  /** Returns the handle of the newest version. */
  newest(resource: number): number {
    return this.#newest[resource] as number;
  }

  /** Makes the next version of a resource. */
  addVersion(resource: number): void {
    const version = (this.version[resource] as number) + 1;
    this.version[resource] = version;
    this.#newest[resource] = this.handles.add(resource, version, this.#newest[resource] as number);
  }

  /** Removes the newest version of a resource. */
  removeVersion(resource: number): void {
    this.version[resource] = (this.version[resource] as number) - 1;
    this.#newest[resource] = this.handles.withdraw(this.#newest[resource] as number);
  }

  /** Removes the resources from number `count` on. */
  removeFrom(count: number): void {
    for (let resource = count; resource < this.count; resource++) {
      this.handles.withdraw(this.#newest[resource] as number);
    }
    this.count = count;
  }

  /** Declares a texture. @returns its number */
  addTexture(descriptor: GraphTextureDescriptor, origin: Origin): number {
    const { name, width, height, format, sampleCount = 1, mipLevelCount = 1, layers = 1 } = descriptor;
    const at = this.#add(name, origin);
    const { numbers } = this.#declarations;
    numbers[at + ResourceField.isTexture] = 1;
    numbers[at + ResourceField.width] = width;
    numbers[at + ResourceField.height] = height;
    numbers[at + ResourceField.layers] = layers;
    numbers[at + ResourceField.format] = this.#declarations.formatNumber(format);
    numbers[at + ResourceField.sampleCount] = sampleCount;
    numbers[at + ResourceField.mipLevelCount] = mipLevelCount;
    return this.count - 1;
  }

  /** Declares a buffer. @returns its number */
  addBuffer({ name, byteLength }: GraphBufferDescriptor, origin: Origin): number {
    const at = this.#add(name, origin);
    this.#declarations.numbers[at + ResourceField.width] = byteLength;
    return this.count - 1;
  }

  #add(name: string, origin: Origin): number {
    const resource = this.count;
    const declarations = this.#declarations;
    const at = declarations.add(Declaration.resource);
    this.#nameAt[resource] = declarations.nameCount;
    this.#fieldsAt[resource] = at;
    this.version[resource] = 0;
    this.#newest[resource] = this.handles.add(resource, 0, 0);
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
