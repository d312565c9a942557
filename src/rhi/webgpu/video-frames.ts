/**
 * The frame's picture as a `VideoFrame`. A canvas gives its own, in the task in which it was submitted; the texture
 * that stands in for a missing surface is read back.
 *
 *   outputVideoFrame … endFrame ─► submit ─┬─► new VideoFrame(canvas)                    same task
 *                                          └─► copy ─► map ─► new VideoFrame(bytes)      some tasks later
 */

import { readDouble } from '../../core/double-words.js';
import { messageOf, RhiError } from '../../core/errors.js';
import { BufferUsage } from '../commands/descriptors.js';
import type { CompleteCommandOptions } from '../record/complete-options.js';
import type { ExecutorParts } from './parts.js';

interface Wanted {
  readonly request: number;
  readonly timestamp: number;
}

const MAP_READ = 1;
/** WebGPU wants rows in buffers to begin at multiples of it. */
const ROW_ALIGNMENT = 256;

export class VideoFrames {
  readonly #parts: ExecutorParts;
  readonly #onVideoFrame: CompleteCommandOptions['onVideoFrame'];
  #wanted: Wanted[] = [];

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
    this.#onVideoFrame = parts.options.onVideoFrame;
  }

  /** @throws RhiError `capability-missing` where there is no `VideoFrame`, or nobody to receive one */
  request(words: Uint32Array, fields: number): void {
    if (typeof VideoFrame === 'undefined') {
      throw new RhiError(
        'capability-missing',
        'This platform has no VideoFrame, so a frame can’t be given out as one. Read the texture back instead.',
      );
    }
    if (this.#onVideoFrame === undefined) {
      throw new RhiError(
        'capability-missing',
        'Nobody receives video frames. Give the executor an `onVideoFrame`.',
      );
    }
    this.#wanted.push({ request: words[fields], timestamp: readDouble(words, fields + 1) });
  }

  frameSubmitted(): void {
    if (this.#wanted.length === 0) return;
    const wanted = this.#wanted;
    this.#wanted = [];
    const { options, host, viewport } = this.#parts;
    const { texture } = viewport;
    for (const each of wanted) {
      try {
        if (texture === null) throw new Error('the frame drew nothing to the viewport.');
        if (options.surface === null) this.#readBack(texture, each);
        else this.#deliver(each, new VideoFrame(options.surface, { timestamp: each.timestamp }));
      } catch (cause) {
        host.report(failure(each, cause));
      }
    }
  }

  #readBack(texture: GPUTexture, wanted: Wanted): void {
    const { device, host, resources } = this.#parts;
    const { width, height, format } = texture;
    const bytesPerRow = Math.ceil((width * 4) / ROW_ALIGNMENT) * ROW_ALIGNMENT;
    const buffer = resources.memory.createBuffer({
      label: 'video frame',
      size: bytesPerRow * height,
      usage: BufferUsage.mapRead | BufferUsage.copyTarget,
    });
    const encoder = device.createCommandEncoder();
    encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, [width, height]);
    device.queue.submit([encoder.finish()]);
    buffer
      .mapAsync(MAP_READ)
      .then(() => {
        const frame = new VideoFrame(buffer.getMappedRange(), {
          format: format.startsWith('bgra') ? 'BGRX' : 'RGBX',
          codedWidth: width,
          codedHeight: height,
          layout: [{ offset: 0, stride: bytesPerRow }],
          timestamp: wanted.timestamp,
        });
        this.#deliver(wanted, frame);
      })
      .catch((cause: unknown) => host.report(failure(wanted, cause)))
      .finally(() => resources.memory.destroy(buffer));
  }

  #deliver({ request }: Wanted, frame: VideoFrame): void {
    this.#onVideoFrame?.(request, frame);
  }
}

function failure({ request }: Wanted, cause: unknown): RhiError {
  return new RhiError('video-frame-failed', `Video frame ${request} could not be made: ${messageOf(cause)}`, {
    cause,
  });
}
