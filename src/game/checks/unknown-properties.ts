/**
 * In development, writing an unknown property throws: `material.rougness = 1` is most likely a mistake. If neither the
 * object nor its classes have such a property, JavaScript looks it up in a proxy behind the classes, which throws.
 *
 *   material ─► Material.prototype ─► prototype of its parameters ─► a proxy, which throws ─► Object.prototype
 */
import { checkNames } from '../../core/options/check-options.js';
import { anything, optional } from '../../core/options/members.js';

type Class = abstract new (...parameters: never[]) => object;

/**
 * Returns a class that behaves like `base`. Objects of its subclasses reject unknown properties: assigning an unknown
 * name throws OptionError `option-unknown`. Symbols are allowed, because nobody mistypes them.
 *
 * `Object.preventExtensions` would throw a bare TypeError. A proxy around each object would slow down every access and
 * hide its private fields.
 *
 * @param what name in messages: `A material`
 * @param base class to extend, whose properties are known as well
 * @param fields properties without accessors
 */
export function refusingUnknown<Base extends Class>(
  what: string,
  base: Base,
  fields: readonly string[] = [],
): Base {
  if (globalThis.FENCEPOST_DEVELOPMENT === false) return base;
  const set = (target: object, name: string | symbol, value: unknown, receiver: object): boolean => {
    if (globalThis.FENCEPOST_DEVELOPMENT && typeof name === 'string' && !(name in target)) {
      const names = [...settersOf(Object.getPrototypeOf(receiver)), ...fields];
      const known = Object.fromEntries(names.map((each) => [each, optional(anything())]));
      checkNames(what, { [name]: value }, known);
    }
    return Reflect.set(target, name, value, receiver);
  };
  // A bound class constructs the same objects. It has no prototype of its own, so one is defined here.
  return Object.defineProperty(base.bind(null), 'prototype', { value: new Proxy(base.prototype, { set }) });
}

/** Returns the names of all properties for which an object's classes have setters. */
function settersOf(prototype: object | null): string[] {
  if (!prototype || prototype === Object.prototype) return [];
  const own = Object.entries(Object.getOwnPropertyDescriptors(prototype)).filter(
    // A prototype may be a proxy of Object.prototype, whose setter `__proto__` is not a property of the object.
    ([name, { set }]) => set && name !== '__proto__',
  );
  return [...own.map(([name]) => name), ...settersOf(Object.getPrototypeOf(prototype))];
}
