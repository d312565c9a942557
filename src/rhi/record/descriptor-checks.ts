/**
 * Whether a descriptor has the fields that its resource needs, found by the recorder in the call that creates it, so
 * that a slip of the pen is an error with the field's name and not one of JavaScript's own, frames later; and whether it
 * has no others, which would do nothing, and no words that WebGPU does not have. Who writes TypeScript is told by the
 * compiler already. Which values go together is checked elsewhere. Pure.
 *
 *   createBindGroup({ label: 'sky', entries: [{ binding: 0, resource: … }] })
 *     └► bad-descriptor: The bind group "sky" has entries[0].resource, … Give buffer, sampler or view.
 *
 * What passes has only fields of `descriptor-shapes.ts`, so it can be written as JSON and reads the same.
 */
import { RhiError } from '../../core/errors.js';
import { shownValue } from '../../core/option-names.js';
import {
  type DescribedKind,
  ENTRY_OF_BUFFER,
  ENTRY_OF_SAMPLER,
  ENTRY_OF_VIEW,
  SHAPES,
  type Shape,
} from '../commands/descriptor-shapes.js';

import { checkOwn } from './call-checks.js';

export type { DescribedKind } from '../commands/descriptor-shapes.js';

type Fields = Readonly<Record<string, unknown>>;

interface Rule {
  readonly name: string;
  readonly isOptional: boolean;
  /** What it is, in words: a key of `TESTS`, one of several words, or one of those that `checkField` knows. */
  readonly kind: string;
  readonly remedy: string;
  /** What the object, or each of the list, holds in turn. */
  readonly inner: Shape | null;
}

interface ReadShape {
  readonly rules: readonly Rule[];
  readonly names: string;
}

const TEXTURE_FORMAT =
  /^((r|rg|rgba|bgra)(8|16|32)([us]norm|[us]int|float)(-srgb)?|rgb9e5ufloat|rgb10a2u(norm|int)|rg11b10ufloat|stencil8|depth(16unorm|24plus|32float)(-stencil8)?|(bc[1-7]|etc2|eac|astc)[\w-]+)$/;
const VERTEX_FORMAT =
  /^(([us]int8|[us]norm8|[us]int16|[us]norm16|float16)(x[24])?|([us]int32|float32)(x[234])?|[us]norm10-10-10-2|unorm8x4-bgra)$/;

const isWhole = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const isText = (value: unknown): value is string => typeof value === 'string';
const isTextureFormat = (value: unknown): boolean => isText(value) && TEXTURE_FORMAT.test(value);
const isList = (value: unknown, isItem: (item: unknown) => boolean, length?: number): boolean =>
  Array.isArray(value) && value.every(isItem) && (length === undefined || value.length === length);

/** By what a field is: whether a value is that. */
const TESTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  'a string': isText,
  'a number': Number.isFinite,
  'a whole number': isWhole,
  'a handle': isWhole,
  'an integer': Number.isInteger,
  'true or false': (value) => typeof value === 'boolean',
  'a texture format': isTextureFormat,
  'a vertex format': (value) => isText(value) && VERTEX_FORMAT.test(value),
  'three numbers': (value) => isList(value, Number.isFinite, 3),
  'four numbers': (value) => isList(value, Number.isFinite, 4),
  'numbers by name': (value) =>
    typeof value === 'object' && value !== null && isList(Object.values(value), Number.isFinite),
};
/** Likewise, of lists whose items are named in errors. */
const ITEM_TESTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  'a list of handles': isWhole,
  'a list of texture formats': isTextureFormat,
};

const readShapes = new Map<Shape, ReadShape>();

function read(shape: Shape): ReadShape {
  const known = readShapes.get(shape);
  if (known !== undefined) return known;
  const rules = shape.map((field): Rule => {
    const [line, inner] = typeof field === 'string' ? [field, null] : field;
    const [head = '', ...rest] = line.split(': ');
    const [kind = '', remedy = ''] = rest.join(': ').split(' = ');
    const words = kind.includes('|') ? `one of ${kind.split('|').join(', ')}` : kind;
    const name = head.replace('?', '');
    return { name, isOptional: head !== name, kind, remedy: remedy || words, inner };
  });
  const result = { rules, names: rules.map(({ name }) => name).join(', ') };
  readShapes.set(shape, result);
  return result;
}

/** Throws when a field is not what it should be. */
class Checker {
  readonly #code: 'bad-descriptor' | 'bad-argument';
  /** Begins messages: `The texture "sky" has`. */
  readonly #subject: string;
  /** Of the handles of the RHI. */
  readonly #mark: number;

  constructor(subject: string, mark: number, code: 'bad-descriptor' | 'bad-argument' = 'bad-descriptor') {
    this.#subject = subject;
    this.#mark = mark;
    this.#code = code;
  }

  fail(field: string, given: unknown, remedy: string, value = shownValue(given)): never {
    throw new RhiError(this.#code, `${this.#subject} ${field} = ${value}. Give ${remedy}.`);
  }

  object(value: unknown, path: string, remedy: string): Fields {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) this.fail(path, value, remedy);
    return value as Fields;
  }

  /** @param path with a dot behind it, or empty */
  shape(fields: Fields, shape: Shape, path = ''): void {
    const { rules, names } = read(shape);
    for (const rule of rules) {
      const value = fields[rule.name];
      if (value !== undefined || !rule.isOptional) this.#field(value, rule, path + rule.name);
    }
    for (const name in fields) {
      if (rules.some((rule) => rule.name === name)) continue;
      this.fail(path + name, fields[name], names === '' ? 'nothing in it' : `only ${names}`);
    }
  }

  #field(value: unknown, { kind, remedy, inner }: Rule, path: string): void {
    const test = TESTS[kind];
    if (test !== undefined) {
      if (!test(value)) this.fail(path, value, numberRemedy(value, kind, remedy), shownNumbers(value));
      if (kind === 'a handle') checkOwn(`${this.#subject} ${path}`, value as number, this.#mark);
    } else if (kind.includes('|')) {
      if (!isText(value) || !kind.split('|').includes(value)) this.fail(path, value, remedy);
    } else if (kind === 'an object') {
      const fields = this.object(value, path, remedy);
      if (inner !== null) this.shape(fields, inner, `${path}.`);
    } else {
      this.#list(value, kind, remedy, inner, path);
    }
  }

  #list(value: unknown, kind: string, remedy: string, inner: Shape | null, path: string): void {
    if (!Array.isArray(value)) this.fail(path, value, remedy);
    const items = value as readonly unknown[];
    const test = ITEM_TESTS[kind];
    // By index: a list with holes has items that `forEach` passes over.
    for (let i = 0; i < items.length; i++) {
      const item = items[i];
      const itemPath = `${path}[${i}]`;
      if (test !== undefined) {
        if (!test(item)) this.fail(itemPath, item, remedy);
        if (kind === 'a list of handles')
          checkOwn(`${this.#subject} ${itemPath}`, item as number, this.#mark);
      } else if (kind === 'a list of { binding, … }') {
        this.#binding(this.object(item, itemPath, '{ binding, … }'), itemPath);
      } else if (inner !== null && !(item === null && kind === 'a list with gaps')) {
        this.shape(this.object(item, itemPath, remedy), inner, `${itemPath}.`);
      }
    }
  }

  #binding(entry: Fields, path: string): void {
    const shape =
      'view' in entry
        ? ENTRY_OF_VIEW
        : 'buffer' in entry
          ? ENTRY_OF_BUFFER
          : 'sampler' in entry
            ? ENTRY_OF_SAMPLER
            : null;
    if (shape !== null) {
      this.shape(entry, shape, `${path}.`);
      return;
    }
    const [other] = Object.keys(entry).filter((key) => key !== 'binding');
    const field = other === undefined ? path : `${path}.${other}`;
    this.fail(field, other === undefined ? entry : entry[other], `${path}.buffer, .sampler or .view`);
  }
}

/** A short list with what is in it, because that is what is wrong, and a BigInt as one writes it. */
function shownNumbers(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  return Array.isArray(value) && value.length < 9
    ? `[${value.map(shownValue).join(', ')}]`
    : shownValue(value);
}

/** A number that is none of the right ones is told which these are. */
function numberRemedy(value: unknown, kind: string, remedy: string): string {
  if (typeof value !== 'number' || (kind !== 'a whole number' && kind !== 'a handle')) return remedy;
  return remedy === kind ? 'a whole number from 0 up' : `a whole number from 0 up: ${remedy}`;
}

/**
 * @param mark of the handles of the RHI
 * @throws RhiError `bad-descriptor`, naming the object, the field and what it should be; `foreign-handle`
 */
export function checkDescriptor(kind: DescribedKind, descriptor: object, mark = 0): void {
  const creation = new Checker(`The creation of a ${kind} has`, mark);
  const fields = creation.object(descriptor, 'its descriptor', 'an object');
  const { label } = fields;
  if (typeof label !== 'string') new Checker(`The ${kind} has`, mark).shape(fields, SHAPES[kind]);
  new Checker(`The ${kind} "${label}" has`, mark).shape(fields, SHAPES[kind]);
}

/**
 * Likewise of an object that a call is given.
 * @param call as the caller wrote it, with the label of what it is about
 * @throws RhiError `bad-argument`
 */
export function checkArgumentShape(call: string, kind: DescribedKind, value: unknown): void {
  const checker = new Checker(`${call} was given`, 0, 'bad-argument');
  const names = read(SHAPES[kind]).names;
  checker.shape(checker.object(value, `the ${kind}`, `an object with ${names}`), SHAPES[kind]);
}

/** The mark with which a pass was checked: the same object may be another RHI's, too. */
const checkedPasses = /* @__PURE__ */ new WeakMap<object, number>();

/**
 * As `checkDescriptor`, once per descriptor object: it is encoded once, too. Per pass and frame.
 * @throws RhiError `bad-descriptor`, `foreign-handle`
 */
export function checkPass(kind: DescribedKind, descriptor: object, mark: number): void {
  if (checkedPasses.get(descriptor) === mark) return;
  checkDescriptor(kind, descriptor, mark);
  checkedPasses.set(descriptor, mark);
}
