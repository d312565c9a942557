/**
 * Bypass (SYSTEMS H3) means that each command executes in the call that records it. A debugger's stack and an error
 * therefore show the faulty call. Recorder and device must share a thread. The pixels stay the same, but execution is
 * slower.
 *
 *   context.draw(3) ─► record ─► publish ─► executor executes it ─► returns, or throws its error
 *
 * If the executor has to wait (frames in flight, pipelines under `waitForPipelines`), later records execute once the
 * wait has ended, and `onError` receives their errors. `onError` also receives errors that WebGPU reports later than
 * the call. An executor reports errors of equal text only once, so only the first of several equal faulty calls throws.
 */
import { checkOption } from '../../core/options/check-options.js';
import { checkAnyContext } from '../commands/class-arguments.js';
import type { CommandContext } from '../record/command-context.js';

/**
 * Wraps a context so that each of its calls executes its commands before it returns.
 * @param execute publishes, executes, and throws the errors of execution
 * @returns the context to use in place of the given one
 * @throws OptionError `option-invalid`
 */
export function executeAtOnce<Context extends CommandContext>(
  context: Context,
  execute: () => void,
): Context {
  checkAnyContext('executeAtOnce', context);
  checkOption(
    'The second argument of executeAtOnce',
    execute,
    typeof execute === 'function',
    'a function that executes',
  );
  return new Proxy(context, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        // The caller of an earlier `reserveBufferWrite` has filled its record by now.
        if (key === 'reserveBufferWrite') execute();
        const result: unknown = value.apply(target, args);
        // The caller of `reserveBufferWrite` fills the record after this call. The next call executes the record.
        if (key !== 'reserveBufferWrite') execute();
        return result;
      };
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
}
