/**
 * Checks the arguments of `fencepost/rhi`'s functions and classes as the first step of each call. A check throws an
 * error that names the wrong argument and the expected value. The checks are meant for rare calls, not for calls per
 * draw.
 */
import { OptionError, RhiError } from '../../core/errors.js';
import { checkOptions as checkNamed, checkOption } from '../../core/options/check-options.js';
import { type Member, refuse, type Shape } from '../../core/options/member.js';
import { having, member, wholeFrom } from '../../core/options/members.js';
import { isObject, shownValue } from '../../core/options/shown-value.js';

/** Checks a value. @param what name of the value in errors @throws OptionError `option-invalid` */
export function checkValue(what: string, value: unknown, member: Member): void {
  if (member.accepts(value) || (value === undefined && member.isOptional)) return;
  refuse(what, value, member);
}

/**
 * Checks options against their shape.
 * @param what the function with these options, as the caller wrote it
 * @throws OptionError `option-unknown`, `option-invalid`
 */
export function checkOptions(what: string, options: object, shape: Shape): void {
  checkNamed(what, options, shape, (name, call) => `The option "${name}" of ${call}`);
}

/** Checks that a value is an RHI. @param what the class, as the caller wrote it @throws OptionError `option-invalid` */
export function checkRhi(what: string, rhi: object): void {
  const isRhi = isObject(rhi) && typeof rhi.read === 'function' && isObject(rhi.context);
  checkOption(`The RHI of ${what}`, rhi, isRhi, 'an RHI that createRhi has returned');
}

/** Checks that a value is a context that records frames. @throws OptionError `option-invalid` */
export function checkContext(what: string, context: object): void {
  checkValue(
    `The context of ${what}`,
    context,
    having('onFrameFinished', 'the context of an RHI, rhi.context'),
  );
}

const writer = having('reserve', 'the writer of a stream, as createLocalStream makes it');

/** Checks that a value is a context of any kind. @throws OptionError `option-invalid` */
export function checkAnyContext(call: string, context: object): void {
  const isContext = isObject(context) && writer.accepts(context.writer);
  checkOption(`The context of ${call}`, context, isContext, 'a context that records commands');
}

/** Checks that a value is the writer of a stream. @throws OptionError `option-invalid` */
export function checkWriter(call: string, given: unknown): void {
  checkValue(`The writer of ${call}`, given, writer);
}

/**
 * Checks that a value is a device.
 * @param orElse the alternatives to a device, appended to the message
 * @throws OptionError `device-option`
 */
export function checkDevice(device: unknown, who: string, orElse = ''): void {
  if (having('createBuffer', '').accepts(device)) return;
  const given = device === undefined ? 'no device' : `${shownValue(device)}, which is not a device`;
  throw new OptionError(
    'device-option',
    `${who} was given ${given}. Pass the GPUDevice that openDevice resolves to${orElse}.`,
  );
}

/** Checks the option `maxFramesInFlight`. @throws RhiError `bad-frames-in-flight` */
export function checkFramesInFlight(maxFramesInFlight: number): void {
  if (Number.isInteger(maxFramesInFlight) && maxFramesInFlight >= 1 && maxFramesInFlight <= 8) return;
  throw new RhiError(
    'bad-frames-in-flight',
    `maxFramesInFlight is ${maxFramesInFlight}. Make it a whole number from 1 to 8.`,
  );
}

/** Checks the options of an executor. @throws OptionError `device-option`, `option-unknown`, `option-invalid` */
export function checkExecutionOptions(
  what: string,
  options: { readonly device?: unknown },
  shape: Shape,
): void {
  const device = options?.device;
  // The device is checked first: it is the option that callers forget most often.
  if (device !== null) checkDevice(device, 'The RHI', ', or null for the backend without a GPU');
  checkOptions(what, options, shape);
}

/** Checks that a value is a whole number from `least` to `most`. @throws OptionError `option-invalid` */
export function checkWhole(what: string, value: unknown, least: number, most: number): void {
  checkValue(what, value, wholeFrom(least, most));
}

/** Accepts an object with the lowest version of each feature, by feature name. */
export const versions = (): Member<Readonly<Record<string, number>>> =>
  member(
    (value) => isObject(value) && Object.values(value).every((version) => Number.isInteger(version)),
    'an object of whole numbers, like { "timestamp-query": 1 }',
  );
