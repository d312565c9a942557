import { OptionError } from '../../core/errors.js';
import { fillOptions } from '../../core/options/check-options.js';
import { checkNumber } from '../../core/options/check-value.js';
import { shownAntialias } from '../../proxy/look.js';
import { locateBy } from '../../threads/library-files/worker-location.js';
import {
  ENGINE_OPTIONS,
  type EngineOptions,
  type ResolvedOptions,
  type ThreadingMode,
} from './engine-options.js';

const CALL = 'createEngine';

/**
 * Checks the engine's options and fills in the defaults. A wrong option throws before anything starts.
 * @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range`
 */
export function resolveOptions(options: EngineOptions = {}): ResolvedOptions {
  const {
    signal: _,
    antialias,
    workerUrl,
    requiredFeatures,
    requiredLimits,
    watchdog,
    flightRecorder,
    ...plain
  } = fillOptions(CALL, options, ENGINE_OPTIONS);
  checkBypass(CALL, plain.rhiBypass, plain.threading);
  return {
    ...plain,
    isRhiTraced: plain.rhiTrace !== undefined,
    checksGraph: plain.validation || globalThis.FENCEPOST_DEVELOPMENT === true,
    antialias: shownAntialias(antialias),
    locate: workerUrl === undefined ? undefined : locateBy(workerUrl),
    ...resolveRequired(requiredFeatures ?? [], requiredLimits ?? {}),
    ...resolveWatchdog(watchdog ?? {}),
    flightRecorder: secondsRecorded(flightRecorder),
  };
}

/**
 * Checks a threading mode for `rhiBypass`, which needs the same thread for recording and for execution.
 * @throws OptionError `option-invalid`
 */
export function checkBypass(call: string, rhiBypass: boolean, threading: ThreadingMode): void {
  if (!rhiBypass || threading !== 'render+rhi') return;
  throw new OptionError(
    'option-invalid',
    `${call}: with rhiBypass, commands execute where they are recorded, but 'render+rhi' records them on another thread than the device's. Use threading 'render' or 'single'.`,
  );
}

/** Returns the seconds that the flight recorder keeps; 0 for no recording. */
function secondsRecorded(given: NonNullable<EngineOptions['flightRecorder']>): number {
  if (typeof given === 'boolean') return given ? 4 : 0;
  return given.seconds;
}

function resolveRequired(
  given: NonNullable<EngineOptions['requiredFeatures']>,
  limits: NonNullable<EngineOptions['requiredLimits']>,
): Pick<ResolvedOptions, 'requiredFeatures' | 'requiredLimits' | 'required'> {
  const isList = (names: typeof given): names is readonly string[] => Array.isArray(names);
  const features = isList(given) ? Object.fromEntries(given.map((name) => [name, 1])) : given;
  const names = { requiredFeatures: Object.keys(features), requiredLimits: Object.keys(limits) };
  const isAny = names.requiredFeatures.length + names.requiredLimits.length > 0;
  return { ...names, required: isAny ? { features, limits } : null };
}

/** Fills in the time limits. If only one limit of silence is given, the default of the other is adjusted to it. */
function resolveWatchdog(
  given: NonNullable<EngineOptions['watchdog']>,
): Pick<ResolvedOptions, 'reportSeconds' | 'restartSeconds' | 'taskHangSeconds' | 'gpuReportSeconds'> {
  const { reportSeconds = 1, restartSeconds = 5, taskHangSeconds, gpuReportSeconds = 30 } = given;
  const others = { taskHangSeconds, gpuReportSeconds };
  if (given.reportSeconds === undefined)
    return { reportSeconds: Math.min(reportSeconds, restartSeconds), restartSeconds, ...others };
  if (given.restartSeconds === undefined)
    return { reportSeconds, restartSeconds: Math.max(reportSeconds, restartSeconds), ...others };
  checkNumber(CALL, 'watchdog.restartSeconds', restartSeconds, reportSeconds, 3600);
  return { reportSeconds, restartSeconds, ...others };
}
