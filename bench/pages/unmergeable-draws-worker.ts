/**
 * B2's worker: draws the same frames by each loop of a case in turn, the GPU idle between them, so that drift of the
 * machine meets all alike. A case has a worker of its own: what the browser learns of a function in one, where bundles
 * are recorded, must not cost the other, where none are.
 *
 *   another set   frame 1: by hand, rhi                       frame 2: rhi, by hand …
 *   the same set  frame 1: by hand, rhi with a bundle, rhi    frame 2: the other way round …
 */
import { QueueMarks } from '../lib/queue-marks.js';
import { chooseVisible, DRAW_COUNT, type DrawLoop } from '../lib/unmergeable.js';
import { createRhiLoop } from '../scenes/unmergeable-rhi.js';
import { createHandWrittenLoop } from '../scenes/unmergeable-webgpu.js';

export interface MeasureRequest {
  readonly warmup: number;
  readonly frames: number;
  /** Another visible set every frame. */
  readonly isChanging: boolean;
}

/** Milliseconds per frame. */
export interface LoopSamples {
  readonly name: string;
  readonly isChanging: boolean;
  readonly record: number[];
  readonly translate: number[];
  readonly total: number[];
  drawBytes: number;
}

export interface Measurement {
  readonly loops: readonly LoopSamples[];
  readonly errors: readonly string[];
}

/** The loops to compare; a figure of validation or capture is one more, with its `wrapReader`. */
async function createLoops(device: GPUDevice, isChanging: boolean): Promise<DrawLoop[]> {
  const marks = new QueueMarks(device.queue);
  const loops = [await createHandWrittenLoop(device, marks)];
  if (isChanging) loops.push(await createRhiLoop(device, marks, { name: 'fencepost/rhi' }));
  else {
    loops.push(await createRhiLoop(device, marks, { name: 'fencepost/rhi', usesBundle: true }));
    loops.push(await createRhiLoop(device, marks, { name: 'fencepost/rhi, recorded' }));
  }
  return loops;
}

self.onmessage = async ({ data }: MessageEvent<MeasureRequest>) => {
  const errors: string[] = [];
  const loops: LoopSamples[] = [];
  try {
    const adapter = await navigator.gpu.requestAdapter();
    if (adapter === null) throw new Error('There is no WebGPU adapter.');
    const device = await adapter.requestDevice();
    device.addEventListener('uncapturederror', ({ error }) => errors.push(error.message));
    await measure(device, data, loops, errors);
  } catch (error) {
    errors.push(String(error));
  }
  self.postMessage({ loops, errors } satisfies Measurement);
};

async function measure(
  device: GPUDevice,
  { warmup, frames, isChanging }: MeasureRequest,
  samples: LoopSamples[],
  errors: string[],
): Promise<void> {
  const entries: { loop: DrawLoop; samples: LoopSamples }[] = [];
  for (const loop of await createLoops(device, isChanging)) {
    const own = { name: loop.name, isChanging, record: [], translate: [], total: [], drawBytes: 0 };
    samples.push(own);
    entries.push({ loop, samples: own });
  }
  const visible = new Uint32Array(DRAW_COUNT);
  for (let frame = -warmup; frame < frames; frame++) {
    const turn = frame % 2 === 0 ? entries : entries.toReversed();
    for (const { loop, samples: own } of turn) {
      chooseVisible(visible, frame + warmup, isChanging);
      const { recordMs, translateMs, totalMs, drawBytes } = loop.frame(visible, frame);
      if (frame >= 0) {
        own.record.push(recordMs);
        own.translate.push(translateMs);
        own.total.push(totalMs);
        own.drawBytes = drawBytes;
      }
      await device.queue.onSubmittedWorkDone();
    }
  }
  // Nobody is measured who draws something else, or nothing.
  const pictures: Uint8Array[] = [];
  for (const { loop } of entries) {
    errors.push(...loop.errors);
    pictures.push(await loop.pixels());
  }
  const [first, ...others] = pictures;
  const lit = first?.filter((value, i) => i % 4 !== 3 && value > 8).length ?? 0;
  if (lit < 100) errors.push(`The picture is dark: ${lit} values are lit.`);
  for (const other of others) {
    if (other.some((value, i) => value !== first?.[i])) errors.push('The loops draw different pictures.');
  }
}
