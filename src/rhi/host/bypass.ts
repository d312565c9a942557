/**
 * Bypass (SYSTEMS H3): commands execute in the call that records them, where recorder and device share a thread, so
 * that a debugger's stack and an error show the call that is to blame. The pixels are the same; the speed is not.
 *
 *   context.draw(3) ─► record ─► publish ─► executor executes it ─► returns, or throws its error
 *
 * Where the executor has to wait (frames in flight, pipelines under `waitForPipelines`), what follows executes at
 * that event, and its errors go to `onError`, as do those that WebGPU itself reports only later. An executor reports
 * an error that repeats word for word once: the first call throws it.
 */
import { checkOption } from '../../core/options/check-options.js';
import { checkAnyContext } from '../commands/class-arguments.js';
import type { CommandContext } from '../record/command-context.js';

/**
 * @param execute publishes, executes, and throws what that reports
 * @returns the context, to be used in the place of the one given
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
        // What a `reserveBufferWrite` before this call left open is filled by now.
        if (key === 'reserveBufferWrite') execute();
        const result: unknown = value.apply(target, args);
        // Its caller fills the record after this call; the next one executes it.
        if (key !== 'reserveBufferWrite') execute();
        return result;
      };
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
}
