/** Kinds of declarations. */
export enum Declaration {
  resource = 1,
  pass = 2,
  access = 3,
  keep = 4,
}

/** Number of values that follow the kind, for each kind. */
const LENGTHS = [0, 10, 2, 13, 0] as const;

/** How an access changes the contents of a resource. */
export enum AccessMode {
  read = 0,
  write = 1,
  modify = 2,
}
export const passKinds = ['raster', 'compute', 'copy'] as const;
export const passQueues = ['automatic', 'graphics', 'compute', 'copy'] as const;
/** Value of the fields `mipLevel` and `layer` that means all levels or all layers. */
export const WHOLE = -1;

/** Offsets of a pass's values, from the first value after the kind. */
export enum PassField {
  kind = 0,
  queue = 1,
}
export enum ResourceField {
  isTexture = 0,
  isImported = 1,
  /** The width in texels; for a buffer, its length in bytes. */
  width = 2,
  height = 3,
  layers = 4,
  format = 5,
  sampleCount = 6,
  mipLevelCount = 7,
  /** 1 if the resource has contents before the first pass, which only imported resources can have. */
  hasContents = 8,
  /** 1 if code outside the graph uses the last version, which is possible only for imported resources. */
  isResult = 9,
}
export enum AccessField {
  resource = 0,
  /** The version that is read or written. */
  version = 1,
  use = 2,
  mipLevel = 3,
  layer = 4,
  mode = 5,
  slot = 6,
  isCleared = 7,
  /** First of the four numbers of a clear colour. A clear depth uses only this one. */
  clear = 8,
  /** 1 + the number of a colour attachment's view format; 0 means the texture's own format. */
  viewFormat = 12,
}

/**
 * The declarations of a frame's set-up, as numbers and names in the order of the calls. Two frames have the same shape
 * if their arrays are equal. Declaring allocates nothing once the arrays are long enough.
 *
 *   numbers   RESOURCE isTexture … width …  │ PASS kind queue │ ACCESS resource version use … │ ACCESS … │ PASS …
 *   names     "scene colour"                │ "depth prepass" │
 */
export class Declarations {
  numbers = new Float64Array(256);
  length = 0;
  names: string[] = [];
  nameCount = 0;
  /** Formats by number, in the order in which they were first declared. */
  readonly #formats: GPUTextureFormat[] = [];

  clear(): void {
    this.length = 0;
    this.nameCount = 0;
  }

  /** Appends a declaration whose values are zeros. @returns the index of its first value after the kind */
  add(kind: number): number {
    const at = this.length;
    const end = at + 1 + (LENGTHS[kind] as number);
    if (end > this.numbers.length) {
      const larger = new Float64Array(this.numbers.length * 2);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    this.numbers[at] = kind;
    this.numbers.fill(0, at + 1, end);
    this.length = end;
    return at + 1;
  }

  /** Returns the index of the declaration that follows the one at `at`. */
  next(at: number): number {
    return at + 1 + (LENGTHS[this.numbers[at] as number] as number);
  }

  addName(name: string): void {
    this.names[this.nameCount++] = name;
  }

  formatNumber(format: GPUTextureFormat): number {
    const known = this.#formats.indexOf(format);
    return known >= 0 ? known : this.#formats.push(format) - 1;
  }

  formatOf(number: number): GPUTextureFormat {
    return this.#formats[number] as GPUTextureFormat;
  }

  /** Copies everything except the formats. Copies are only compared, and format numbers are the same in all frames. */
  copy(other: Declarations): void {
    if (this.numbers.length < other.length) this.numbers = new Float64Array(other.numbers.length);
    this.numbers.set(other.numbers.subarray(0, other.length));
    this.names = other.names.slice(0, other.nameCount);
    this.length = other.length;
    this.nameCount = other.nameCount;
  }

  /** Returns whether `other` declares the same graph. Called per frame. */
  equals(other: Declarations): boolean {
    const { length, nameCount, numbers, names } = this;
    if (length !== other.length || nameCount !== other.nameCount) return false;
    const { numbers: otherNumbers, names: otherNames } = other;
    for (let at = 0; at < length; at++) if (numbers[at] !== otherNumbers[at]) return false;
    for (let at = 0; at < nameCount; at++) if (names[at] !== otherNames[at]) return false;
    return true;
  }
}
