/**
 * Checks of the arguments of `fencepost/rhi`'s functions and classes, made at the call, before anything starts. A wrong
 * argument throws an `OptionError` with its name and the expected value. Further checks are made where the values are
 * used. Cold paths only.
 */
import { OptionError, RhiError } from '../../core/errors.js';
import { checkOptions as checkNamed, checkOption } from '../../core/options/check-options.js';
import { type Member, refuse, type Shape } from '../../core/options/member.js';
import { having, member, wholeFrom } from '../../core/options/members.js';
import { isObject, shownValue } from '../../core/options/shown-value.js';

/** @param what name of the value in errors @throws OptionError `option-invalid` */
export function checkValue(what: string, value: unknown, member: Member): void {
  if (member.accepts(value) || (value === undefined && member.isOptional)) return;
  refuse(what, value, member);
}

/**
 * @param what the function with these options, as the caller wrote it
 * @throws OptionError `option-unknown`, `option-invalid`
 */
export function checkOptions(what: string, options: object, shape: Shape): void {
  checkNamed(what, options, shape, (name, call) => `The option "${name}" of ${call}`);
}

/** @param what the class, as the caller wrote it @throws OptionError `option-invalid` */
export function checkRhi(what: string, rhi: object): void {
  const isRhi = isObject(rhi) && typeof rhi.read === 'function' && isObject(rhi.context);
  checkOption(`The RHI of ${what}`, rhi, isRhi, 'what createRhi or connectRhi returns');
}

/** Accepts only contexts that record frames. @throws OptionError `option-invalid` */
export function checkContext(what: string, context: object): void {
  checkValue(
    `The context of ${what}`,
    context,
    having('onFrameFinished', 'the context of an RHI, rhi.context'),
  );
}

const writer = having('reserve', 'the writer of a stream, createLocalStream makes one');

/** Accepts every kind of context. @throws OptionError `option-invalid` */
export function checkAnyContext(call: string, context: object): void {
  const isContext = isObject(context) && writer.accepts(context.writer);
  checkOption(`The context of ${call}`, context, isContext, 'one that records commands');
}

/** @throws OptionError `option-invalid` */
export function checkWriter(call: string, given: unknown): void {
  checkValue(`The writer of ${call}`, given, writer);
}

/** @throws OptionError `port-missing` */
export function checkPort(what: string, given: unknown): void {
  if (having('postMessage', 'a MessagePort').accepts(given)) return;
  throw new OptionError(
    'port-missing',
    `${what} was given ${shownValue(given)}, which is no port. Pass one end of a MessageChannel, and the other end to the other thread.`,
  );
}

/** @param orElse the alternatives to a device, appended to the message @throws OptionError `device-option` */
export function checkDevice(device: unknown, who: string, orElse = ''): void {
  if (having('createBuffer', '').accepts(device)) return;
  const given = device === undefined ? 'no device' : `${shownValue(device)}, which is no device`;
  throw new OptionError(
    'device-option',
    `${who} was given ${given}. Pass the GPUDevice that openDevice resolves to${orElse}.`,
  );
}

/** @throws RhiError `bad-frames-in-flight` */
export function checkFramesInFlight(maxFramesInFlight: number): void {
  if (Number.isInteger(maxFramesInFlight) && maxFramesInFlight >= 1 && maxFramesInFlight <= 8) return;
  throw new RhiError(
    'bad-frames-in-flight',
    `maxFramesInFlight is ${maxFramesInFlight}. Make it a whole number from 1 to 8.`,
  );
}

/** @throws OptionError `device-option`, `option-unknown`, `option-invalid` */
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

/** @throws OptionError `option-invalid` */
export function checkWhole(what: string, value: unknown, least: number, most: number): void {
  checkValue(what, value, wholeFrom(least, most));
}

/** An object of lowest versions by feature name. */
export const versions = (): Member<Readonly<Record<string, number>>> =>
  member(
    (value) => isObject(value) && Object.values(value).every((version) => Number.isInteger(version)),
    'an object of whole numbers, like { "timestamp-query": 1 }',
  );
