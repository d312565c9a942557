/**
 * `createEngine` for tests that are not about the watchdog: it waits for minutes unless the test says otherwise, so that no
 * machine is too slow for a test, however starved the engine's workers are.
 */
import * as fencepost from 'fencepost';

export const PATIENT_WATCHDOG = { reportSeconds: 60, restartSeconds: 120 } as const;

export const createPatientEngine = ((target: HTMLElement, options?: fencepost.EngineOptions) =>
  fencepost.createEngine(target, withPatience(options))) as typeof fencepost.createEngine;

/** Options as they are where they are none: a test may be about refusing them. */
function withPatience(options: fencepost.EngineOptions | undefined): fencepost.EngineOptions {
  const isPlain = options !== null && Object.getPrototypeOf(options ?? {}) === Object.prototype;
  return isPlain ? { watchdog: PATIENT_WATCHDOG, ...options } : (options as fencepost.EngineOptions);
}
