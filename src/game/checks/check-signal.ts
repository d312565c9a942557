import { OptionError } from '../../core/errors.js';

/** Throws `option-invalid` unless `signal` is an AbortSignal, of this page or another realm, or not given; and returns it. */
export function checkSignal(what: string, signal: AbortSignal | undefined): AbortSignal | undefined {
  // Not by its class: signals of iframes have another one.
  if (signal === undefined || Object.prototype.toString.call(signal) === '[object AbortSignal]')
    return signal;
  throw new OptionError(
    'option-invalid',
    `signal of ${what} is ${typeof signal === 'string' ? `"${signal}"` : String(signal)}; it has to be an AbortSignal: new AbortController().signal.`,
  );
}
