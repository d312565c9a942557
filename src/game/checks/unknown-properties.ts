/**
 * In development, writing a property that an object does not have is a slip: `material.rougness = 1`. What neither an
 * object nor its class has is looked for behind the class, and there it is refused.
 *
 *   material ─► Material.prototype ─► that of its parameters ─► refuses what gets here ─► Object.prototype
 */
import { checkNames } from '../../core/options/check-options.js';
import { unchecked } from '../../core/options/members.js';

type Class = { readonly prototype: object };

/**
 * @param what for messages: `A material`
 * @param fields properties that are no accessors
 * @param last the class behind which names are refused, where the class extends one that has properties as well
 * @throws when a name is assigned: OptionError `option-unknown`. A Symbol may be: it is nobody's slip.
 */
export function refuseUnknownProperties(
  first: Class,
  what: string,
  fields: readonly string[] = [],
  last: Class = first,
): void {
  const names = unchecked([...settersOf(first.prototype), ...fields].join('|'));
  const set = (target: object, name: string | symbol, value: unknown, receiver: unknown): boolean => {
    // A base class may have it.
    if (globalThis.FENCEPOST_DEVELOPMENT && typeof name === 'string' && !(name in target))
      checkNames(what, { [name]: value }, names);
    return Reflect.set(target, name, value, receiver);
  };
  Object.setPrototypeOf(last.prototype, new Proxy(Object.getPrototypeOf(last.prototype), { set }));
}

/** Names of the properties that a class and those that it extends let be set. */
function settersOf(prototype: object): string[] {
  if (prototype === Object.prototype) return [];
  const own = Object.entries(Object.getOwnPropertyDescriptors(prototype)).filter(([, { set }]) => set);
  return [...own.map(([name]) => name), ...settersOf(Object.getPrototypeOf(prototype))];
}
