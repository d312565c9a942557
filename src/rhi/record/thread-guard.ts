/**
 * Checks thread affinity at run time (SYSTEMS R10). A guarded context belongs to one thread. A call from another thread
 * throws an error with the names of both threads. With `threading: 'single'`, one JavaScript thread does the work of
 * several. Each of these is then a *role*, which `ThreadRoles.run` sets for the duration of an action.
 *
 *   roles.run('render', () => context.draw(3))     context guarded for "render": passes
 *   context.draw(3)                                on "main": wrong-thread
 *
 * Guard contexts in development only, because a guard checks every call.
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

/** The roles of this JavaScript thread. */
export class ThreadRoles {
  #current: string;

  /** @param name the thread's own name, used outside `run` */
  constructor(name: string) {
    this.#current = name;
  }

  /** The role that runs now; outside `run`, the thread's own name. */
  get current(): string {
    return this.#current;
  }

  /** Runs a synchronous action in a role, and returns its result. */
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

  /** Returns the owner to pass to `guardThread` for a context of the role `name`. */
  identity(name: string): ThreadIdentity {
    return { name, current: () => this.#current };
  }
}

/**
 * Returns a guarded context. Its methods throw RhiError `wrong-thread` if they are called on another thread than the
 * owner's. A guarded deferred context writes the owner's name into the lists that it begins, for errors.
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
      `${key}() of a context of the thread "${owner.name}" was called on the thread "${current}". Call it on "${owner.name}", or record a deferred list of your own on "${current}".`,
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
