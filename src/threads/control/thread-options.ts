/**
 * The engine's options that the threads behind the main thread need: one record of plain data, which the main thread
 * sends to workers as it is, and which `single` mode passes on.
 *
 *   createEngine's options ─ checked ─► ResolvedOptions ─ threadOptions() ─► ThreadOptions ─► openRhi, startRhiSide,
 *                                                                                            startRenderSide
 */
export interface ThreadOptions {
  readonly backend: 'webgpu' | 'null';
  readonly maxFramesInFlight: number;
  readonly sampleCount: 1 | 4;
  /** WGSL of the tone mapping; empty: none. */
  readonly toneCurve: string;
  /** WGSL with which surfaces map tones themselves; empty: they don't. */
  readonly displayCode: string;
  /** Checks every RHI command before it is executed. */
  readonly validation: boolean;
  /** Names of what the device is asked for beside what the engine can use itself; whoever asks looks what it got. */
  readonly requiredFeatures: readonly string[];
  readonly requiredLimits: readonly string[];
  /** How long a stream may wait for an attachment, in seconds: see the option `watchdog`. */
  readonly reportSeconds: number;
  readonly restartSeconds: number;
}

/** Picks the engine's options that its threads need. A new option of theirs is named here and in the interface. */
export function threadOptions(options: ThreadOptions): ThreadOptions {
  const { backend, maxFramesInFlight, sampleCount, toneCurve, displayCode, validation } = options;
  const { reportSeconds, restartSeconds, requiredFeatures, requiredLimits } = options;
  return {
    backend,
    maxFramesInFlight,
    sampleCount,
    toneCurve,
    displayCode,
    validation,
    reportSeconds,
    restartSeconds,
    requiredFeatures,
    requiredLimits,
  };
}
