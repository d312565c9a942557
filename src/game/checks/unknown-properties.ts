/**
 * In development, writing a property that an object does not have is a slip: `material.rougness = 1`. What neither an
 * object nor its class has is looked for behind the class, and there it is refused.
 *
 *   material ─► Material.prototype ─► refuses what gets here ─► Object.prototype
 */
import { checkNames } from '../../core/options/check-options.js';
import { unchecked } from '../../core/options/members.js';

/**
 * @param what for messages: `A material`
 * @param fields properties that are no accessors
 * @throws when a name is assigned: OptionError `option-unknown`. A Symbol may be: it is nobody's slip.
 */
export function refuseUnknownProperties(
  { prototype }: { readonly prototype: object },
  what: string,
  fields: readonly string[] = [],
): void {
  const names = unchecked([...settersOf(prototype), ...fields].join('|'));
  const set = (target: object, name: string | symbol, value: unknown, receiver: unknown): boolean => {
    // What the class extends may have it.
    if (globalThis.FENCEPOST_DEVELOPMENT && typeof name === 'string' && !(name in target))
      checkNames(what, { [name]: value }, names);
    return Reflect.set(target, name, value, receiver);
  };
  Object.setPrototypeOf(prototype, new Proxy(Object.getPrototypeOf(prototype), { set }));
}

/** Names of the properties that a class and those that it extends let be set. */
function settersOf(prototype: object): string[] {
  if (prototype === Object.prototype) return [];
  const own = Object.entries(Object.getOwnPropertyDescriptors(prototype)).filter(([, { set }]) => set);
  return [...own.map(([name]) => name), ...settersOf(Object.getPrototypeOf(prototype))];
}
