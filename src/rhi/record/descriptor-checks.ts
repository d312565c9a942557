/**
 * Checks descriptors in the call that takes the descriptor. The checks find missing fields, unknown fields and strings
 * that WebGPU does not have. A mistake throws at once with the field's name, instead of a JavaScript error frames
 * later. TypeScript's compiler finds the same mistakes; callers in JavaScript depend on these checks.
 * `argument-checks.ts` calls them.
 *
 *   createBindGroup({ label: 'sky', entries: [{ binding: 0, resource: … }] })
 *     └► bad-descriptor: The bind group "sky" has entries[0].resource = an object.
 *        Give entries[0].buffer, .sampler or .view.
 *
 * An accepted descriptor has only members of its shape, so JSON can represent it.
 */
import { RhiError } from '../../core/errors.js';
import type { Member, Shape } from '../../core/options/member.js';
import { isObject, shownValue } from '../../core/options/shown-value.js';
import { type DescribedKind, SHAPES } from '../commands/descriptor-shapes.js';
import { checkOwn } from './call-checks.js';

type Values = Readonly<Record<string, unknown>>;

/** Compares values with their shapes, and throws at the first difference. */
class Checker {
  /**
   * @param subject start of each error text, as in `The texture "sky" has`
   * @param mark mark of the RHI's handles (`handles.ts`)
   */
  constructor(
    readonly subject: string,
    readonly mark: number,
    readonly code: 'bad-descriptor' | 'bad-argument' = 'bad-descriptor',
  ) {}

  object(value: unknown, path: string, remedy: string): Values {
    if (!isObject(value)) this.#fail(path, value, remedy);
    return value;
  }

  /**
   * Checks all members of an object.
   * @param path path of the object in the descriptor: empty, or ending with a dot
   */
  shape(values: Values, shape: Shape, path = ''): void {
    for (const [name, member] of Object.entries(shape)) {
      const value = values[name];
      if (value !== undefined || member.isOptional !== true) this.#member(value, member, path + name);
    }
    const names = Object.keys(shape);
    for (const name in values) {
      if (Object.hasOwn(shape, name)) continue;
      this.#fail(
        path + name,
        values[name],
        names.length === 0 ? 'an empty object' : `only ${names.join(', ')}`,
      );
    }
  }

  #member(value: unknown, member: Member, path: string, remedy = member.remedy): void {
    const { kind, item, shape, choices } = member;
    if (!member.accepts(value)) this.#fail(path, value, remedyOf(value, member, remedy), shownNumbers(value));
    if (value === null) return;
    if (kind !== undefined) checkOwn(`${this.subject} ${path}`, value as number, this.mark);
    if (shape !== undefined) this.shape(value as Values, shape, `${path}.`);
    if (choices !== undefined) this.#choice(value as Values, choices, path);
    if (item === undefined) return;
    const items = value as readonly unknown[];
    // The loop counts indices, because `forEach` skips holes. The error of an item names the list's remedy, unless
    // the item has `choices`.
    for (let i = 0; i < items.length; i++) {
      this.#member(items[i], item, `${path}[${i}]`, item.choices === undefined ? remedy : item.remedy);
    }
  }

  #choice(values: Values, choices: Readonly<Record<string, Shape>>, path: string): void {
    const names = Object.keys(choices);
    const chosen = names.find((name) => name in values);
    if (chosen !== undefined) {
      this.shape(values, choices[chosen] as Shape, `${path}.`);
      return;
    }
    const isCommon = (name: string): boolean => Object.values(choices).every((shape) => name in shape);
    const other = Object.keys(values).find((name) => !isCommon(name));
    const [field, value] = other === undefined ? [path, values] : [`${path}.${other}`, values[other]];
    this.#fail(field, value, `${path}.${names.slice(0, -1).join(', .')} or .${names.at(-1)}`);
  }

  #fail(path: string, given: unknown, remedy: string, value = shownValue(given)): never {
    throw new RhiError(this.code, `${this.subject} ${path} = ${value}. Give ${remedy}.`);
  }
}

/** Returns the text of a value in an error. Lists of up to 8 items show their items, and bigints end with `n`. */
function shownNumbers(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  return Array.isArray(value) && value.length < 9
    ? `[${value.map(shownValue).join(', ')}]`
    : shownValue(value);
}

/**
 * Returns the remedy in an error. If the member takes whole numbers and the value is another number, the remedy begins
 * with "a whole number from 0 up".
 */
function remedyOf(value: unknown, { isExplained }: Member, remedy: string): string {
  if (typeof value !== 'number' || isExplained === undefined) return remedy;
  return isExplained ? `a whole number from 0 up: ${remedy}` : 'a whole number from 0 up';
}

/**
 * Checks a descriptor of the given kind.
 * @param mark mark of the RHI's handles
 * @throws RhiError `bad-descriptor`, which names the object, the field and the expected value; `foreign-handle`
 */
export function checkDescriptor(kind: DescribedKind, descriptor: object, mark = 0): void {
  const creation = new Checker(`The creation of a ${kind} has`, mark);
  const fields = creation.object(descriptor, 'its descriptor', 'an object');
  const { label } = fields;
  if (typeof label !== 'string') new Checker(`The ${kind} has`, mark).shape(fields, SHAPES[kind]);
  new Checker(`The ${kind} "${label}" has`, mark).shape(fields, SHAPES[kind]);
}

/**
 * Checks an object that is passed to a call.
 * @param call name of the call and label of its resource, for the error
 * @throws RhiError `bad-argument`
 */
export function checkArgumentShape(call: string, kind: DescribedKind, value: unknown): void {
  const checker = new Checker(`${call} was given`, 0, 'bad-argument');
  const names = Object.keys(SHAPES[kind]).join(', ');
  checker.shape(checker.object(value, `the ${kind}`, `an object with ${names}`), SHAPES[kind]);
}

/**
 * For each pass descriptor, the mark of the RHI that checked it last. If another RHI uses the same object, it checks
 * the object again.
 */
const checkedPasses = /* @__PURE__ */ new WeakMap<object, number>();

/**
 * Checks a descriptor, unless the same RHI was the last to check this object. Called per pass and frame.
 * @throws RhiError `bad-descriptor`, `foreign-handle`
 */
export function checkPass(kind: DescribedKind, descriptor: object, mark: number): void {
  if (checkedPasses.get(descriptor) === mark) return;
  checkDescriptor(kind, descriptor, mark);
  checkedPasses.set(descriptor, mark);
}
