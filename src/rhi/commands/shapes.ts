/**
 * The language of shapes: what the members of an object are. From one shape come its TypeScript type, the check of what
 * a caller gives, and which members are handles.
 *
 *   { layout: handle('bindGroupLayout'), count: optional(whole('how many')) }
 *     type    { readonly layout: BindGroupLayoutHandle; readonly count?: number }
 *     error   … has count = -1. Give a whole number from 0 up: how many.
 */
import { isObject } from '../../core/option-names.js';
import { kindName, ResourceKind, type ResourceKindName } from './handles.js';

declare const handleBrand: unique symbol;
/** The handle of a resource: a number that only what creates it hands out. */
export type Handle<Kind extends ResourceKindName> = number & { readonly [handleBrand]: Kind };

/** What a value has to be. */
export interface Member<Value = unknown> {
  readonly accepts: (value: unknown) => value is Value;
  /** What to give, in the words of an error. */
  readonly remedy: string;
  /** The remedy says what the number means, not yet that it is a whole one. */
  readonly isExplained?: boolean;
  readonly isOptional?: true;
  /** It is the handle of such a resource. */
  readonly kind?: ResourceKind;
  /** Of a list: what each item is. */
  readonly item?: Member;
  /** Of an object: what it holds. */
  readonly shape?: Shape;
  /** Of an object: what it holds, by the name of the one member that tells these apart. */
  readonly choices?: Readonly<Record<string, Shape>>;
}

export type Shape = Readonly<Record<string, Member>>;

type Optional = { readonly isOptional: true };
type ValueOf<M> = M extends Member<infer Value> ? Value : never;
type Flat<T> = { readonly [Name in keyof T]: T[Name] };

/** The objects of a shape. */
export type Shaped<S extends Shape> = Flat<
  { [Name in keyof S as S[Name] extends Optional ? never : Name]: ValueOf<S[Name]> } & {
    [Name in keyof S as S[Name] extends Optional ? Name : never]?: ValueOf<S[Name]>;
  }
>;

const member = <Value>(
  accepts: (value: unknown) => boolean,
  remedy: string,
  more: Partial<Omit<Member, 'accepts' | 'remedy'>> = {},
): Member<Value> => ({ accepts: accepts as Member<Value>['accepts'], remedy, ...more });

const isText = (value: unknown): value is string => typeof value === 'string';
const isWhole = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const isNumbers = (value: unknown, length: number): boolean =>
  Array.isArray(value) && value.length === length && value.every(Number.isFinite);

/** It may be left out. */
export const optional = <M extends Member>(required: M): M & Optional => ({ ...required, isOptional: true });

export const text = (remedy = 'a string'): Member<string> => member(isText, remedy);
/** From 0 up. @param meaning what the number says */
export const whole = (meaning?: string): Member<number> =>
  member(isWhole, meaning ?? 'a whole number', { isExplained: meaning !== undefined });
export const integer = (): Member<number> => member(Number.isInteger, 'an integer');
export const number = (): Member<number> => member(Number.isFinite, 'a number');
export const boolean = (): Member<boolean> => member((value) => typeof value === 'boolean', 'true or false');
export const threeNumbers = (remedy: string): Member<readonly [number, number, number]> =>
  member((value) => isNumbers(value, 3), remedy);
export const fourNumbers = (remedy: string): Member<readonly [number, number, number, number]> =>
  member((value) => isNumbers(value, 4), remedy);
export const numbersByName = (): Member<Readonly<Record<string, number>>> =>
  member(
    (value) => isObject(value) && isNumbers(Object.values(value), Object.keys(value).length),
    'numbers by name',
  );

export const func = (remedy = 'a function'): Member<(...args: never[]) => unknown> =>
  member((value) => typeof value === 'function', remedy);
/** An object that has this method, whichever class it is of. */
export const having = (method: string, remedy: string): Member<object> =>
  member((value) => isObject(value) && typeof value[method] === 'function', remedy);
/** More than 0. */
export const amount = (unit: string): Member<number> =>
  member((value) => typeof value === 'number' && value > 0, `a number of ${unit} above 0`);
/** @param least @param most both included */
export const wholeFrom = (least: number, most: number): Member<number> =>
  member(
    (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
    `a whole number from ${least} to ${most}`,
  );

/** What is looked at elsewhere. */
export const anything = (): Member => member(() => true, 'anything');

type Words<List extends string> = List extends `${infer Word}|${infer Others}` ? Word | Words<Others> : List;

/** One of these words: `load|clear`. */
export const oneOf = <List extends string>(words: List): Member<Words<List>> => {
  const list = words.split('|');
  return member((value) => isText(value) && list.includes(value), `one of ${list.join(', ')}`);
};

const matching = <Word extends string>(pattern: RegExp, remedy: string): Member<Word> =>
  member((value) => isText(value) && pattern.test(value), remedy);
export const textureFormat = (): Member<GPUTextureFormat> =>
  matching(
    /^((r|rg|rgba|bgra)(8|16|32)([us]norm|[us]int|float)(-srgb)?|rgb9e5ufloat|rgb10a2u(norm|int)|rg11b10ufloat|stencil8|depth(16unorm|24plus|32float)(-stencil8)?|(bc[1-7]|etc2|eac|astc)[\w-]+)$/,
    'a texture format',
  );
export const vertexFormat = (): Member<GPUVertexFormat> =>
  matching(
    /^(([us]int8|[us]norm8|[us]int16|[us]norm16|float16)(x[24])?|([us]int32|float32)(x[234])?|[us]norm10-10-10-2|unorm8x4-bgra)$/,
    'a vertex format',
  );

/** The handle of a resource of this kind. */
export const handle = <Kind extends ResourceKindName>(
  kind: Kind,
  remedy = `a ${kindName(kind)}’s handle`,
): Member<Handle<Kind>> => member(isWhole, remedy, { kind: ResourceKind[kind], isExplained: true });

export const object = <S extends Shape>(shape: S, remedy = 'an object'): Member<Shaped<S>> =>
  member(isObject, remedy, { shape });

/** One of WebGPU's own objects, whose type it has. */
export const gpuObject = <Value extends object>(
  shape: { readonly [Name in keyof Required<Value>]: Member },
) => object(shape) as unknown as Member<Value>;

type Choice<Choices extends Readonly<Record<string, Shape>>> = {
  [Name in keyof Choices]: Shaped<Choices[Name]>;
}[keyof Choices];

/** An object of one of these shapes; the name of each is that of a member which only it has. */
export const either = <Choices extends Readonly<Record<string, Shape>>>(
  choices: Choices,
  remedy: string,
): Member<Choice<Choices>> => member(isObject, remedy, { choices });

export const list = <Value>(item: Member<Value>, remedy: string): Member<readonly Value[]> =>
  member(Array.isArray, remedy, { item });

/** A list some of whose places may be empty. */
export const listWithGaps = <Value>(
  item: Member<Value>,
  remedy: string,
): Member<readonly (Value | null)[]> => {
  const accepts = (value: unknown): value is Value | null => value === null || item.accepts(value);
  return list({ ...item, accepts }, remedy);
};

const canvas = having('getContext', 'an HTMLCanvasElement, an OffscreenCanvas or null');

/** An option: where frames are shown; null and undefined: nowhere. */
export const surface: Member<object | null | undefined> = optional({
  ...canvas,
  accepts: (value): value is object | null => value === null || canvas.accepts(value),
});
