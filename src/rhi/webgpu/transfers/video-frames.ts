/**
 * Outputs the frame's picture as a `VideoFrame`. If there is a canvas, the frame is created from it in the task of
 * the submission. Otherwise the texture that replaces the canvas is read back.
 *
 *   outputVideoFrame … endFrame ─► submit ─┬─► new VideoFrame(canvas)                    same task
 *                                          └─► copy ─► map ─► new VideoFrame(bytes)      some tasks later
 */

import { messageOf, RhiError } from '../../../core/errors.js';
import { readDouble } from '../../../core/records/wide-words.js';
import type { WebGpuBackend } from '../webgpu-backend.js';

interface Wanted {
  readonly request: number;
  readonly timestamp: number;
}

const MAP_READ = 1;
/** WebGPU's alignment of rows in buffers, in bytes. */
const ROW_ALIGNMENT = 256;

export class VideoFrames {
  readonly #backend: WebGpuBackend;
  #wanted: Wanted[] = [];

  constructor(backend: WebGpuBackend) {
    this.#backend = backend;
  }

  /** Requests a frame. @throws RhiError `capability-missing` without `VideoFrame` or `onVideoFrame` */
  request(words: Uint32Array, fields: number): void {
    if (typeof VideoFrame === 'undefined') {
      throw new RhiError(
        'capability-missing',
        'This platform has no VideoFrame, so it can’t output video frames. Read the texture back instead.',
      );
    }
    if (this.#backend.options.onVideoFrame === undefined) {
      throw new RhiError(
        'capability-missing',
        'The executor has no receiver of video frames. Pass it the option `onVideoFrame`.',
      );
    }
    this.#wanted.push({ request: words[fields], timestamp: readDouble(words, fields + 1) });
  }

  /** Outputs the requested frames. Called after the submission, in the same task. */
  frameSubmitted(): void {
    for (const wanted of this.#wanted.splice(0)) {
      this.#output(wanted).catch((cause: unknown) =>
        this.#backend.host.report(
          new RhiError(
            'video-frame-failed',
            `Video frame ${wanted.request} could not be made: ${messageOf(cause)}`,
            { cause },
          ),
        ),
      );
    }
  }

  async #output({ request, timestamp }: Wanted): Promise<void> {
    const { device, options, stagedReads, viewport, work } = this.#backend;
    const { surface, onVideoFrame } = options;
    const { texture } = viewport;
    if (texture === null) throw new Error('the frame drew nothing to the viewport.');
    if (surface !== null) {
      onVideoFrame?.(request, new VideoFrame(surface, { timestamp }));
      return;
    }
    const { width, height, format } = texture;
    const bytesPerRow = Math.ceil((width * 4) / ROW_ALIGNMENT) * ROW_ALIGNMENT;
    const block = stagedReads.pool.take(bytesPerRow * height);
    if (block === null)
      throw new Error('the staging memory of read-backs is in use. Raise maximumReadBackBytes.');
    const buffer = block.memory;
    try {
      const encoder = device.createCommandEncoder();
      encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, [width, height]);
      device.queue.submit([encoder.finish()]);
      await work.wait(buffer.mapAsync(MAP_READ));
      const frame = new VideoFrame(buffer.getMappedRange(0, bytesPerRow * height), {
        format: format.startsWith('bgra') ? 'BGRX' : 'RGBX',
        codedWidth: width,
        codedHeight: height,
        layout: [{ offset: 0, stride: bytesPerRow }],
        timestamp,
      });
      onVideoFrame?.(request, frame);
    } finally {
      buffer.unmap();
      stagedReads.pool.give(block);
    }
  }
}
