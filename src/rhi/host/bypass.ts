/**
 * Bypass (SYSTEMS H3): commands execute in the call that records them, if recorder and device share a thread. So a
 * debugger's stack and an error show the faulty call. The pixels are the same; the speed is not.
 *
 *   context.draw(3) ─► record ─► publish ─► executor executes it ─► returns, or throws its error
 *
 * If the executor has to wait (frames in flight, pipelines under `waitForPipelines`), later records execute at that
 * event, and their errors go to `onError`. So do errors that WebGPU itself reports only later. An executor reports an
 * error with the same text once: only the first call throws it.
 */
import { checkOption } from '../../core/options/check-options.js';
import { checkAnyContext } from '../commands/class-arguments.js';
import type { CommandContext } from '../record/command-context.js';

/**
 * @param execute publishes, executes, and throws the errors of execution
 * @returns the context to use in place of the given one
 * @throws OptionError `option-invalid`
 */
export function executeAtOnce<Context extends CommandContext>(
  context: Context,
  execute: () => void,
): Context {
  checkAnyContext('executeAtOnce', context);
  checkOption('What executeAtOnce calls', execute, typeof execute === 'function', 'a function that executes');
  return new Proxy(context, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        // The caller of an earlier `reserveBufferWrite` has filled its record by now.
        if (key === 'reserveBufferWrite') execute();
        const result: unknown = value.apply(target, args);
        // Its caller fills the record after this call; the next call executes it.
        if (key !== 'reserveBufferWrite') execute();
        return result;
      };
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
}
