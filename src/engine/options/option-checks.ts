import { OptionError } from '../../core/errors.js';
import { checkChoice, checkNumber, checkOptions } from '../../game/checks/options.js';
import { RENDERERS, TONE_MAPPINGS } from '../../proxy/commands.js';
import { LIBRARY_FILES } from '../../threads/files/library-files.js';
import type { WorkerUrl } from '../../threads/files/worker-location.js';
import { locateBy } from '../../threads/files/worker-override.js';
import { DEFAULT_OPTIONS as DEFAULTS, type EngineOptions, type ResolvedOptions } from './engine-options.js';
import { sampleCountOf } from './look.js';

/**
 * Checks the engine's options: a wrong one is refused before anything starts, with an `OptionError` that names it.
 */
export const THREADING_MODES = ['single', 'render', 'render+rhi'] as const;

const WHAT = 'createEngine';
const NAMES =
  'signal threading taskWorkers oneFrameThreadLag maxFramesInFlight frameSync renderer antialias hdr toneMapping exposure pixelRatio background workerUrl backend requiredFeatures requiredLimits validation flightRecorder timelineKey deviceLost deviceLostMessage watchdog';

/**
 * Checks options and fills in the defaults.
 * @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range`
 */
export function resolveOptions(options: EngineOptions = {}): ResolvedOptions {
  checkOptions(WHAT, options, NAMES);
  const {
    signal,
    threading = DEFAULTS.threading,
    taskWorkers,
    oneFrameThreadLag = DEFAULTS.oneFrameThreadLag,
    maxFramesInFlight = DEFAULTS.maxFramesInFlight,
    frameSync = DEFAULTS.frameSync,
    renderer = DEFAULTS.renderer,
    antialias = 4,
    hdr = DEFAULTS.hdr,
    toneMapping = DEFAULTS.toneMapping,
    exposure = DEFAULTS.exposure,
    pixelRatio,
    background = DEFAULTS.background,
    workerUrl,
    backend = DEFAULTS.backend,
    validation = DEFAULTS.validation,
    requiredFeatures = [],
    requiredLimits = {},
    flightRecorder = false,
    timelineKey = DEFAULTS.timelineKey,
    deviceLost = DEFAULTS.deviceLost,
    deviceLostMessage = DEFAULTS.deviceLostMessage,
    watchdog = {},
  } = options;
  check('signal', signal, signal === undefined || signal instanceof AbortSignal, 'an AbortSignal');
  check('validation', validation, isBoolean(validation), 'true or false');
  check('timelineKey', timelineKey, timelineKey === null || typeof timelineKey === 'string', 'a key or null');
  check('hdr', hdr, isBoolean(hdr), 'true or false');
  check('oneFrameThreadLag', oneFrameThreadLag, isBoolean(oneFrameThreadLag), 'true or false');
  check('deviceLostMessage', deviceLostMessage, isBoolean(deviceLostMessage), 'true or false');
  check('maxFramesInFlight', maxFramesInFlight, Number.isInteger(maxFramesInFlight), 'a whole number');
  check(
    'workerUrl',
    workerUrl,
    isWorkerUrl(workerUrl),
    `a URL, or { engine, assets } with one each, and ${FURTHER_FILES} where they lie elsewhere`,
  );
  check(
    'background',
    background,
    typeof background === 'string' || Array.isArray(background),
    'a CSS colour or a linear triple',
  );
  const isWhole = taskWorkers === undefined || Number.isInteger(taskWorkers);
  check('taskWorkers', taskWorkers, isWhole, 'a whole number');
  return {
    threading: checkChoice(WHAT, 'threading', threading, THREADING_MODES),
    taskWorkers: taskWorkers === undefined ? null : checkNumber(WHAT, 'taskWorkers', taskWorkers, 0, 64),
    oneFrameThreadLag,
    maxFramesInFlight: checkNumber(WHAT, 'maxFramesInFlight', maxFramesInFlight, 1, 8),
    frameSync: checkChoice(WHAT, 'frameSync', frameSync, ['render', 'present']),
    renderer: checkChoice(WHAT, 'renderer', renderer, RENDERERS),
    sampleCount: sampleCountOf(WHAT, antialias),
    toneMapping: checkChoice(WHAT, 'toneMapping', toneMapping, TONE_MAPPINGS),
    hdr,
    toneCurve: '',
    displayCode: '',
    exposure: checkNumber(WHAT, 'exposure', exposure, 1e-6, 1e6),
    pixelRatio: pixelRatio === undefined ? null : checkNumber(WHAT, 'pixelRatio', pixelRatio, 0.1, 8),
    background,
    locate: workerUrl === undefined ? undefined : locateBy(workerUrl),
    backend: checkChoice(WHAT, 'backend', backend, ['webgpu', 'null']),
    validation,
    deviceLost: checkChoice(WHAT, 'deviceLost', deviceLost, ['recover', 'stop', 'ignore']),
    deviceLostMessage,
    timelineKey,
    ...resolveRequired(requiredFeatures, requiredLimits),
    ...resolveWatchdog(watchdog),
    flightRecorder: secondsRecorded(flightRecorder),
  };
}

/** 0: none. */
function secondsRecorded(given: NonNullable<EngineOptions['flightRecorder']>): number {
  if (typeof given === 'boolean') return given ? 4 : 0;
  checkOptions(`flightRecorder of ${WHAT}`, given, 'seconds');
  return checkNumber(WHAT, 'flightRecorder.seconds', given.seconds, 0.1, 60);
}

function resolveRequired(
  given: NonNullable<EngineOptions['requiredFeatures']>,
  limits: NonNullable<EngineOptions['requiredLimits']>,
): Pick<ResolvedOptions, 'requiredFeatures' | 'requiredLimits' | 'required'> {
  const isList = Array.isArray(given) && given.every((name) => typeof name === 'string');
  const features: unknown = isList ? Object.fromEntries(given.map((name) => [name, 1])) : given;
  const isRight =
    isNumbers(features) &&
    Object.values(features).every((version) => Number.isInteger(version) && version > 0);
  const form = 'an array of names, or an object with the lowest version of each, from 1 on';
  check('requiredFeatures', given, isRight, form);
  check('requiredLimits', limits, isNumbers(limits), 'an object of numbers by the names of limits');
  const names = { requiredFeatures: Object.keys(features as object), requiredLimits: Object.keys(limits) };
  const isAny = names.requiredFeatures.length + names.requiredLimits.length > 0;
  return { ...names, required: isAny ? { features: features as Record<string, number>, limits } : null };
}

const isNumbers = (value: unknown): value is Record<string, number> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((each) => typeof each === 'number' && each >= 0);

/** Where one of the two is given, the other one's default makes way for it. */
function resolveWatchdog(
  watchdog: NonNullable<EngineOptions['watchdog']>,
): Pick<ResolvedOptions, 'reportSeconds' | 'restartSeconds'> {
  checkOptions('watchdog of createEngine', watchdog, 'reportSeconds restartSeconds');
  const { reportSeconds = DEFAULTS.reportSeconds, restartSeconds = DEFAULTS.restartSeconds } = watchdog;
  checkNumber(WHAT, 'watchdog.reportSeconds', reportSeconds, 0.1, 3600);
  checkNumber(WHAT, 'watchdog.restartSeconds', restartSeconds, 0.1, 3600);
  if (watchdog.reportSeconds === undefined)
    return { reportSeconds: Math.min(reportSeconds, restartSeconds), restartSeconds };
  if (watchdog.restartSeconds === undefined)
    return { reportSeconds, restartSeconds: Math.max(reportSeconds, restartSeconds) };
  checkNumber(WHAT, 'watchdog.restartSeconds', restartSeconds, reportSeconds, 3600);
  return { reportSeconds, restartSeconds };
}

const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
/** Files whose address `workerUrl` may give, besides `engine` and `assets`. */
const FURTHER_FILES = Object.keys(LIBRARY_FILES)
  .filter((name) => name !== 'engine' && name !== 'assets')
  .join(' ');

const isUrl = (value: unknown): boolean =>
  value instanceof URL ||
  (typeof value === 'string' && URL.canParse(value, globalThis.document?.baseURI ?? 'http://page'));

function isWorkerUrl(value: WorkerUrl | null | undefined): boolean {
  if (value === undefined || isUrl(value)) return true;
  if (typeof value === 'object' && value !== null)
    checkOptions(`workerUrl of ${WHAT}`, value, `engine assets ${FURTHER_FILES}`);
  const { engine, assets, ...others } = (value ?? {}) as { readonly [name: string]: unknown };
  return (
    [engine, assets].every(isUrl) && Object.values(others).every((url) => url === undefined || isUrl(url))
  );
}

function check(name: string, value: unknown, isRight: boolean, expected: string): void {
  if (isRight) return;
  throw new OptionError(
    'option-invalid',
    `${name} of ${WHAT} is ${typeof value === 'number' ? value : JSON.stringify(value)}; it has to be ${expected}.`,
  );
}
