/**
 * `createEngine` for tests that are not about the watchdog. Its watchdog waits for minutes by default, so that a busy
 * machine fails no test.
 */
import * as fencepost from 'fencepost';

export const PATIENT_WATCHDOG = { reportSeconds: 60, restartSeconds: 120 } as const;

export const createPatientEngine = ((target: HTMLElement, options?: fencepost.EngineOptions) =>
  fencepost.createEngine(target, withPatience(options))) as typeof fencepost.createEngine;

/**
 * Adds the limits of the watchdog to plain options. Other values stay as they are, because a test may check
 * their refusal.
 */
function withPatience(options: fencepost.EngineOptions | undefined): fencepost.EngineOptions {
  const isPlain = options !== null && Object.getPrototypeOf(options ?? {}) === Object.prototype;
  return isPlain ? { watchdog: PATIENT_WATCHDOG, ...options } : (options as fencepost.EngineOptions);
}
