/**
 * Thread affinity, checked at run time (SYSTEMS R10). A context belongs to the thread that it was guarded for. A call
 * from another thread throws an error with both names. If one thread does the work of several (`threading: 'single'`),
 * each is a *role*, entered and left.
 *
 *   roles.run('render', () => context.draw(3))     context guarded for "render": passes
 *   context.draw(3)                                on "main": wrong-thread
 *
 * For validation only: an unguarded context costs nothing.
 */
import { RhiError } from '../../core/errors.js';
import { checkOption } from '../../core/options/check-options.js';
import { isObject } from '../../core/options/shown-value.js';
import { checkAnyContext } from '../commands/class-arguments.js';
import type { CommandContext } from './command-context.js';
import type { CommandList } from './command-list.js';

export interface ThreadIdentity {
  /** The thread that owns the context. */
  readonly name: string;
  /** Returns the name of the thread, or role, that runs now. */
  readonly current: () => string;
}

/** The roles that share this JavaScript thread. */
export class ThreadRoles {
  #current: string;

  /** @param name the thread's own name, used outside `run` */
  constructor(name: string) {
    this.#current = name;
  }

  get current(): string {
    return this.#current;
  }

  /** Runs a synchronous action in a role. */
  run<Result>(name: string, action: () => Result): Result {
    checkOption('The action of ThreadRoles.run', action, typeof action === 'function', 'a function');
    const before = this.#current;
    this.#current = name;
    try {
      return action();
    } finally {
      this.#current = before;
    }
  }

  identity(name: string): ThreadIdentity {
    return { name, current: () => this.#current };
  }
}

/**
 * Returns a guarded context: its methods throw RhiError `wrong-thread` if called on another thread than the owner's.
 * Lists that a guarded deferred context begins carry its thread's name, for messages.
 * @throws OptionError `option-invalid`
 */
export function guardThread<Context extends CommandContext>(
  context: Context,
  owner: ThreadIdentity,
): Context {
  checkAnyContext('guardThread', context);
  const isOwner = isObject(owner) && typeof owner.name === 'string' && typeof owner.current === 'function';
  checkOption(
    'The owner of guardThread',
    owner,
    isOwner,
    '{ name, current }, as ThreadRoles.identity makes it',
  );
  const check = (key: string): void => {
    const current = owner.current();
    if (current === owner.name) return;
    throw new RhiError(
      'wrong-thread',
      `${key}() of a context of the thread "${owner.name}" was called on the thread "${current}". Call it on "${owner.name}", or record there a deferred list of your own.`,
    );
  };
  return new Proxy(context, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        check(String(key));
        const result: unknown = value.apply(target, args);
        if (key === 'begin') (args[0] as CommandList).thread = owner.name;
        return result;
      };
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
}
