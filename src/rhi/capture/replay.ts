/**
 * Executes a capture's frames again, in another page or in Node. The commands and the contents are the same, so devices
 * that compute equal results draw equal pixels.
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
  /** Canvas on which the frames are shown. Default: the frames are drawn but not shown. */
  readonly surface?: Surface | null;
  /** Receives the picture of each viewport that a frame draws, in order. Without it, only the last one is read back. */
  readonly onFrame?: (picture: FramePicture) => void;
}

export interface ReplayResult {
  /** Number of executed frames. */
  readonly frames: number;
  /** The last viewport's picture; null if no frame drew to a viewport. */
  readonly picture: FramePicture | null;
  /** Errors during the replay; empty if there were none. */
  readonly errors: readonly unknown[];
  /** Statistics of each frame, in order. */
  readonly stats: readonly RhiFrameStats[];
}

/**
 * Executes the frames of a capture, and resolves when the GPU has finished them.
 * @param file the file from `stop` of `RhiCapture`, a view of its bytes, or a decoded capture
 * @param device a device with the features that the capture's resources need; the caller still owns it
 * @throws OptionError `device-option`, `option-unknown`, `option-invalid`; RhiError `capture-format`,
 *   `capture-version`, `capture-truncated`, `capture-corrupt`, `device-lost`
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
  // The promises are chained, so that `onFrame` receives the pictures in order, even if a later picture arrives first.
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
      // `pictures` is awaited below. Until then, this handler prevents an unhandled rejection after a device loss.
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

/** Reads the viewport's picture. Returns null if the viewport does not exist; the executor reports that as an error. */
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
