/**
 * In development, writing a property that an object does not have is a slip: `material.rougness = 1`. A name that neither the
 * object nor its classes have is looked up behind the classes, where it is refused.
 *
 *   material ─► Material.prototype ─► that of its parameters ─► a proxy, which refuses ─► Object.prototype
 */
import { checkNames } from '../../core/options/check-options.js';
import { anything, optional } from '../../core/options/members.js';

type Class = abstract new (...parameters: never[]) => object;

/**
 * Returns a class to extend: `base`, whose objects refuse to be given unknown properties. `Object.preventExtensions` would answer with
 * a bare TypeError, and a proxy around each object would slow down every access and hide its private fields.
 *
 * @param what for messages: `A material`
 * @param base properties of it are known as well
 * @param fields properties that are no accessors
 * @throws when a name is assigned: OptionError `option-unknown`. A Symbol may be: it is nobody's slip.
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
  // A bound class constructs what the class does, and has no prototype until it is given one here.
  return Object.defineProperty(base.bind(null), 'prototype', { value: new Proxy(base.prototype, { set }) });
}

/** Names of the properties that an object's classes let be set. */
function settersOf(prototype: object | null): string[] {
  if (!prototype || prototype === Object.prototype) return [];
  const own = Object.entries(Object.getOwnPropertyDescriptors(prototype)).filter(([, { set }]) => set);
  return [...own.map(([name]) => name), ...settersOf(Object.getPrototypeOf(prototype))];
}
