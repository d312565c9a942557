/**
 * What the classes of `fencepost/rhi` that work on an RHI are given, checked when they are made: a slip is an
 * `OptionError` with the name in it, there and then. Cold paths only.
 */
import { checkOption, isObject } from '../../core/option-names.js';

/** @param what the class, as the caller wrote it @throws OptionError `option-invalid` */
export function checkRhi<T>(what: string, rhi: T): void {
  const isRhi = isObject(rhi) && typeof rhi.read === 'function' && isObject(rhi.context);
  checkOption(`The RHI of ${what}`, rhi, isRhi, 'what createRhi or connectRhi returns');
}

/** @throws OptionError `option-invalid` */
export function checkContext<T>(what: string, context: T): void {
  const isContext = isObject(context) && typeof context.onFrameFinished === 'function';
  checkOption(`The context of ${what}`, context, isContext, 'the context of an RHI, rhi.context');
}

/** Any kind of context. @throws OptionError `option-invalid` */
export function checkAnyContext(call: string, context: unknown): void {
  const isContext = isObject(context) && isWriter(context.writer);
  checkOption(`The context of ${call}`, context, isContext, 'one that records commands');
}

/** @throws OptionError `option-invalid` */
export function checkWriter(call: string, writer: unknown): void {
  checkOption(
    `The writer of ${call}`,
    writer,
    isWriter(writer),
    'the writer of a stream, createLocalStream makes one',
  );
}

const isWriter = (writer: unknown): boolean => isObject(writer) && typeof writer.reserve === 'function';

/** @param option with its function: `The option "count" of …` @throws OptionError `option-invalid` */
export function checkAmount(option: string, value: unknown, unit: string): void {
  checkOption(option, value, typeof value === 'number' && value > 0, `a number of ${unit} above 0`);
}

/** @throws OptionError `option-invalid` */
export function checkWhole(option: string, value: unknown, least: number, most: number): void {
  const isRight = Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
  checkOption(option, value, isRight, `a whole number from ${least} to ${most}`);
}

/** Lowest version by name of a feature. @throws OptionError `option-invalid` */
export function checkVersions(option: string, value: unknown): void {
  const isRight = isObject(value) && Object.values(value).every((version) => Number.isInteger(version));
  checkOption(option, value, isRight, 'an object of whole numbers, like { "timestamp-query": 1 }');
}
