/**
 * What the calls of `fencepost/rhi` that begin an RHI are given, checked before anything starts: a wrong name or kind is
 * an `OptionError` that says which one, and what it has to be. What the values may be beyond that is checked where
 * they are used.
 */
import { OptionError, RhiError, StateError } from '../../core/errors.js';
import { checkOption, checkOptionNames, isObject, shownValue } from '../../core/option-names.js';

/** Of an executor, on whatever thread; the compiler's list is in the tests. */
export const EXECUTION_OPTIONS =
  'device, requiredCapabilities, surface, maxFramesInFlight, validation, wrapReader, onError, onReadback, onFrame, surfaceFormat, localCommands, onVideoFrame, events, maximumUploadBytes';

const FUNCTIONS = 'wrapReader, onError, onReadback, onFrame, onVideoFrame';

/**
 * @param what the function the options were passed to
 * @throws OptionError `device-option`, `option-unknown`, `option-invalid`
 */
export function checkRhiOptions<Options extends object>(what: string, options: Options, names: string): void {
  const {
    device,
    surface,
    validation,
    bypass,
    maximumUploadBytes = 1,
    ...others
  } = (options ?? {}) as Readonly<Record<string, unknown>>;
  // First, because it is what is left out most often.
  if (device !== null) checkDevice(device, 'The RHI', ', or null for the backend without a GPU');
  checkOptionNames(what, options, names);
  checkOption(
    `The option "surface" of ${what}`,
    surface,
    (surface ?? null) === null || (isObject(surface) && typeof surface.getContext === 'function'),
    'an HTMLCanvasElement, an OffscreenCanvas or null',
  );
  checkOption(
    `The option "validation" of ${what}`,
    validation,
    isFunction(validation),
    'the function validate, which fencepost/rhi exports',
  );
  for (const name of FUNCTIONS.split(', '))
    checkOption(`The option "${name}" of ${what}`, others[name], isFunction(others[name]), 'a function');
  const isLabel = others.label === undefined || typeof others.label === 'string';
  checkOption(`The option "label" of ${what}`, others.label, isLabel, 'a string');
  const isAmount = typeof maximumUploadBytes === 'number' && maximumUploadBytes > 0;
  checkOption(
    `The option "maximumUploadBytes" of ${what}`,
    maximumUploadBytes,
    isAmount,
    'a number of bytes above 0',
  );
  checkOption(
    `The option "bypass" of ${what}`,
    bypass,
    bypass === undefined || typeof bypass === 'boolean',
    'true or false',
  );
}

/** @param orElse what else may be passed @throws OptionError `device-option` */
export function checkDevice(device: unknown, who: string, orElse = ''): void {
  if (isObject(device) && typeof device.createBuffer === 'function') return;
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

/** Or left out. */
function isFunction(value: unknown): boolean {
  return value === undefined || typeof value === 'function';
}
