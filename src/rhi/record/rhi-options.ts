/**
 * What the calls of `fencepost/rhi` that begin an RHI are given, checked before anything starts: a wrong name or kind is
 * an `OptionError` that says which one, and what it has to be. What the values may be beyond that is checked where
 * they are used.
 */
import { OptionError, RhiError, StateError } from '../../core/errors.js';
import { checkOptionNames, shownValue } from '../../core/option-names.js';
import { amount, boolean, func, having, optional, type Shape, text } from '../commands/shapes.js';
import { checkOptionValues } from './class-arguments.js';

/** Of an executor, on whatever thread; the compiler's list is in the tests. */
export const EXECUTION_OPTIONS =
  'device, requiredCapabilities, surface, maxFramesInFlight, validation, wrapReader, onError, onReadback, onFrame, surfaceFormat, localCommands, onVideoFrame, events, maximumUploadBytes';

const canvas = having('getContext', 'an HTMLCanvasElement, an OffscreenCanvas or null');
const listener = optional(func());

const OPTIONS: Shape = {
  surface: {
    ...canvas,
    accepts: (value): value is object | null => value === null || canvas.accepts(value),
    isOptional: true,
  },
  validation: optional(func('the function validate, which fencepost/rhi exports')),
  wrapReader: listener,
  onError: listener,
  onReadback: listener,
  onFrame: listener,
  onVideoFrame: listener,
  label: optional(text()),
  localCommands: optional(having('get', 'a Map of functions by name')),
  bypass: optional(boolean()),
  maximumUploadBytes: optional(amount('bytes')),
};

/**
 * @param what the function the options were passed to
 * @throws OptionError `device-option`, `option-unknown`, `option-invalid`
 */
export function checkRhiOptions(what: string, options: { readonly device?: unknown }, names: string): void {
  const device = options?.device;
  // First, because it is what is left out most often.
  if (device !== null) checkDevice(device, 'The RHI', ', or null for the backend without a GPU');
  checkOptionNames(what, options, names);
  checkOptionValues(what, options, OPTIONS);
}

/**
 * Of the side that only records.
 * @throws OptionError `option-unknown`, `option-invalid`
 */
export function checkRecordingOptions(what: string, options: object, names: string): void {
  checkOptionNames(what, options, names);
  checkOptionValues(what, options, OPTIONS);
}

const port = having('postMessage', 'a MessagePort');

/** @throws OptionError `port-missing` */
export function checkPort(what: string, given: unknown): void {
  if (port.accepts(given)) return;
  throw new OptionError(
    'port-missing',
    `${what} was given ${shownValue(given)}, which is no port. Pass one end of a MessageChannel, and the other end to the other thread.`,
  );
}

/** @param orElse what else may be passed @throws OptionError `device-option` */
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

/** What whoever goes on recording is told. */
export function rhiDisposed(): StateError {
  return new StateError(
    'rhi-disposed',
    'The RHI was disposed of, and records nothing more. Create another one.',
  );
}
