/**
 * What the functions and classes of `fencepost/rhi` are given, checked when they are called: a slip is an `OptionError`
 * with the name in it, there and then. Cold paths only.
 */
import { checkOption, checkOptionNames, isObject } from '../../core/option-names.js';
import { having, type Member, type Shape, wholeFrom } from '../commands/shapes.js';

/** @param what the value is, as errors call it @throws OptionError `option-invalid` */
export function checkValue(what: string, value: unknown, { accepts, isOptional, remedy }: Member): void {
  checkOption(what, value, accepts(value) || (isOptional === true && value === undefined), remedy);
}

/**
 * @param what the function that has the options, as the caller wrote it
 * @throws OptionError `option-unknown`, `option-invalid`
 */
export function checkOptions(what: string, options: object, shape: Shape): void {
  checkOptionNames(what, options, Object.keys(shape).join(', '));
  checkOptionValues(what, options, shape);
}

/** Of options that may have more. @throws OptionError `option-invalid` */
export function checkOptionValues(what: string, options: object, shape: Shape): void {
  const values = options as Readonly<Record<string, unknown>>;
  for (const [name, member] of Object.entries(shape))
    checkValue(`The option "${name}" of ${what}`, values[name], member);
}

/** @param what the class, as the caller wrote it @throws OptionError `option-invalid` */
export function checkRhi(what: string, rhi: object): void {
  const isRhi = isObject(rhi) && typeof rhi.read === 'function' && isObject(rhi.context);
  checkOption(`The RHI of ${what}`, rhi, isRhi, 'what createRhi or connectRhi returns');
}

/** Of frames, that is. @throws OptionError `option-invalid` */
export function checkContext(what: string, context: object): void {
  checkValue(
    `The context of ${what}`,
    context,
    having('onFrameFinished', 'the context of an RHI, rhi.context'),
  );
}

const writer = having('reserve', 'the writer of a stream, createLocalStream makes one');

/** Any kind of context. @throws OptionError `option-invalid` */
export function checkAnyContext(call: string, context: object): void {
  const isContext = isObject(context) && writer.accepts(context.writer);
  checkOption(`The context of ${call}`, context, isContext, 'one that records commands');
}

/** @throws OptionError `option-invalid` */
export function checkWriter(call: string, given: unknown): void {
  checkValue(`The writer of ${call}`, given, writer);
}

/** @throws OptionError `option-invalid` */
export function checkWhole(what: string, value: unknown, least: number, most: number): void {
  checkValue(what, value, wholeFrom(least, most));
}

/** Lowest version by name of a feature. @throws OptionError `option-invalid` */
export function checkVersions(option: string, value: unknown): void {
  const isRight = isObject(value) && Object.values(value).every((version) => Number.isInteger(version));
  checkOption(option, value, isRight, 'an object of whole numbers, like { "timestamp-query": 1 }');
}
