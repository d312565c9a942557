/**
 * Commands of other graphics APIs that WebGPU lacks (the last row of SYSTEMS' table C). They have no opcode. A context
 * has a method for each of them, which throws an error that names the missing capability. The error helps when a
 * renderer is ported from such an API.
 */
import { RhiError } from '../../core/errors.js';
import { checkOption } from '../../core/options/check-options.js';

interface Unsupported {
  /** The capability that WebGPU would need. */
  readonly capability: string;
  /** The alternative in WebGPU, as a sentence. */
  readonly instead: string;
}

const TRACE = 'Trace against a structure of your own in a compute shader.';
const ONE_DEVICE = 'Leave it out: one device executes all frames, in order.';

export const unsupportedCommands = {
  buildAccelerationStructure: { capability: 'ray-tracing', instead: TRACE },
  traceRays: { capability: 'ray-tracing', instead: TRACE },
  bindAccelerationStructure: {
    capability: 'ray-tracing',
    instead: 'Bind a storage buffer that holds a structure of your own.',
  },
  beginStereoViewport: {
    capability: 'stereo-viewport',
    instead: 'Draw each eye’s view in a pass of its own.',
  },
  resummarizeHTile: {
    capability: 'htile',
    instead: 'Leave it out: the driver keeps its own depth acceleration.',
  },
  setDepthBounds: { capability: 'depth-bounds-test', instead: 'Discard by depth in the fragment shader.' },
  setGpuMask: {
    capability: 'multi-gpu',
    instead: 'Open a device per adapter, each with an executor and a list of its own.',
  },
  waitForTemporalEffect: { capability: 'multi-gpu', instead: ONE_DEVICE },
  broadcastTemporalEffect: { capability: 'multi-gpu', instead: ONE_DEVICE },
  calibrateTimers: {
    capability: 'timer-calibration',
    instead: 'Compare timestamps only with timestamps: WebGPU relates them to no clock of the CPU.',
  },
  setSpectatorScreen: {
    capability: 'spectator-screen',
    instead: 'Draw to a second canvas: useSurface.',
  },
  useGeometryCache: {
    capability: 'geometry-cache',
    instead: 'Write the vertices of each frame with writeBuffer.',
  },
  drawMultipleIndirect: { capability: 'multi-draw-indirect', instead: 'Record one drawIndirect for each.' },
  drawMeshTasks: {
    capability: 'mesh-shaders',
    instead: 'Make the vertices in a compute shader and draw them indirectly.',
  },
} as const satisfies Readonly<Record<string, Unsupported>>;

export type UnsupportedCommand = keyof typeof unsupportedCommands;

/**
 * Throws the error of a command that WebGPU does not have.
 * @throws RhiError `capability-missing`, always; OptionError `option-invalid` for a name that is not in the table
 */
export function unsupported(name: UnsupportedCommand): never {
  const isKnown = Object.hasOwn(unsupportedCommands, name);
  checkOption(
    'The name given to unsupported',
    name,
    isKnown,
    `one of ${Object.keys(unsupportedCommands).join(', ')}`,
  );
  const { capability, instead } = unsupportedCommands[name];
  throw new RhiError(
    'capability-missing',
    `WebGPU has no ${capability}, so "${name}" can't be recorded. ${instead}`,
  );
}

/** Adds a method for each unsupported command to a context. Each of these methods throws `capability-missing`. */
export function refuseUnsupported(context: object): void {
  for (const name of Object.keys(unsupportedCommands)) {
    Object.defineProperty(context, name, { value: () => unsupported(name as UnsupportedCommand) });
  }
}
