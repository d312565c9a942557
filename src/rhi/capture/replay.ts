/**
 * Runs a capture's frames again, in another page or in Node: the same commands on the same contents, so the same
 * pixels where the device computes the same.
 */

import { func, optional } from '../../core/options/members.js';
import { checkDevice, checkOptions } from '../commands/class-arguments.js';
import { RhiOpcode } from '../commands/commands.js';
import { RecordSequence } from '../commands/record-sequence.js';
import { surface } from '../commands/shapes.js';
import type { RhiFrameStats } from '../execute/executor.js';
import type { Surface } from '../webgpu/transfers/viewport.js';
import type { WebGpuBackend } from '../webgpu/webgpu-backend.js';
import { type CaptureInput, openCapture } from './decode-capture.js';
import { type Picture, readPicture } from './picture.js';
import { ReplayRun } from './replay-run.js';

export interface FramePicture extends Picture {
  /** The frame's number when it was captured. */
  readonly frame: number;
}

export interface ReplayOptions {
  /** Where the frames are shown; default: nowhere. */
  readonly surface?: Surface | null;
  /** Each frame's picture, in order. Without it only the last one is read back. */
  readonly onFrame?: (picture: FramePicture) => void;
}

export interface ReplayResult {
  /** Frames executed. */
  readonly frames: number;
  /** The last frame's; null when no frame drew to a viewport. */
  readonly picture: FramePicture | null;
  /** What was refused, left out or lost; empty when all is well. */
  readonly errors: readonly unknown[];
  /** By frame. */
  readonly stats: readonly RhiFrameStats[];
}

/**
 * @param file as `stop` of `RhiCapture` gave it, as bytes of it, or decoded
 * @param device with the features that the capture's resources need; it stays the caller's
 * @throws OptionError `device-option`, `option-unknown`, `option-invalid`; RhiError `capture-format`, `capture-version`, `capture-truncated`, `capture-corrupt`, `device-lost`
 *
 * @example
 * const { picture } = await replay(await file.arrayBuffer(), device);
 */
export async function replay(
  file: CaptureInput,
  device: GPUDevice,
  options: ReplayOptions = {},
): Promise<ReplayResult> {
  checkOptions('replay', options, { surface, onFrame: optional(func()) });
  checkDevice(device, 'A replay');
  const { onFrame } = options;
  const capture = openCapture(file);
  const errors: unknown[] = [];
  const stats: RhiFrameStats[] = [];
  let viewportsLeft = countViewports(capture.stream);
  // In order, whenever each of them comes.
  let pictures: Promise<FramePicture | null> = Promise.resolve(null);
  const run = await ReplayRun.begin(capture, device, {
    surface: options.surface ?? null,
    onError: (error) => errors.push(error),
    onFrame: (frame) => stats.push({ ...frame }),
    onViewport: (backend, target) => {
      if (--viewportsLeft > 0 && !onFrame) return;
      const picture = readViewport(backend, target);
      pictures = Promise.all([picture, pictures]).then(([settled]) => {
        if (settled !== null) onFrame?.(settled);
        return settled;
      });
      // Awaited below; until then a loss is nobody's surprise.
      pictures.catch(() => {});
    },
  });
  try {
    await run.execute(capture.stream);
    await run.whenCompleted();
    return { frames: stats.length, picture: await pictures, errors, stats };
  } finally {
    run.dispose();
  }
}

/** Null when the frame has no such viewport, which the executor reports. */
async function readViewport(backend: WebGpuBackend, target: number): Promise<FramePicture | null> {
  backend.endForgottenPass();
  if (backend.resources.textures.find(target) === undefined) return null;
  const { frame } = backend.resources;
  const texture = backend.texture(target)?.gpu ?? null;
  return texture && { frame, ...(await readPicture(backend, { texture })) };
}

function countViewports(stream: Uint32Array): number {
  let count = 0;
  for (const { opcode } of new RecordSequence(stream)) if (opcode === RhiOpcode.endDrawingViewport) count++;
  return count;
}
