import type { ToneMapping } from '../../proxy/commands.js';
import type { ShownAntialias } from '../../proxy/look.js';

/**
 * The options of the engine that the render and RHI threads need. They are one record of plain data:
 * the main thread sends it to workers unchanged, and `single` mode passes it on.
 *
 *   createEngine's options ─ checked ─► ResolvedOptions ─ threadOptions() ─► ThreadOptions ─► openRhi, startRhiSide,
 *                                                                                            startRenderSide
 */
export interface ThreadOptions {
  readonly backend: 'webgpu' | 'null';
  readonly maxFramesInFlight: number;
  /** Maximum bytes of the staging pool, through which all read-backs pass. */
  readonly maximumReadBackBytes: number;
  /** Maximum bytes of a capture's data. */
  readonly maximumCaptureBytes: number;
  readonly antialias: ShownAntialias;
  readonly toneMapping: ToneMapping;
  /** Whether the last pass applies tone mapping. If false, the shaders of surfaces apply it. */
  readonly hdr: boolean;
  /** Whether every RHI command is checked before it is executed. */
  readonly validation: boolean;
  /** Whether each declaration and use of the frame graph's passes is checked. */
  readonly checksGraph: boolean;
  /** Whether every RHI command is sent to the main thread as a line of text. */
  readonly isRhiTraced: boolean;
  /** Whether RHI commands execute in the call that records them. */
  readonly rhiBypass: boolean;
  /**
   * Names of features to request besides those that the engine can use itself. The RHI thread ignores features that the
   * adapter lacks; the main thread then checks the device (`checkRequired`).
   */
  readonly requiredFeatures: readonly string[];
  readonly requiredLimits: readonly string[];
  /** Seconds after which a stream's wait for an attachment is reported: see the option `watchdog`. */
  readonly reportSeconds: number;
  /** Seconds after which a stream that waits for an attachment ends. */
  readonly restartSeconds: number;
}

/** Picks the options that threads need. A new option must be added here and to the interface. */
export function threadOptions(options: ThreadOptions): ThreadOptions {
  const { backend, maxFramesInFlight, antialias, toneMapping, hdr } = options;
  const { maximumReadBackBytes, maximumCaptureBytes, validation, checksGraph, isRhiTraced, rhiBypass } =
    options;
  const { reportSeconds, restartSeconds, requiredFeatures, requiredLimits } = options;
  return {
    backend,
    maxFramesInFlight,
    maximumReadBackBytes,
    maximumCaptureBytes,
    antialias,
    toneMapping,
    hdr,
    validation,
    checksGraph,
    isRhiTraced,
    rhiBypass,
    reportSeconds,
    restartSeconds,
    requiredFeatures,
    requiredLimits,
  };
}
