/**
 * A thread that helps to record lists (bench LISTS). It sleeps between loops, as workers of the engine's pool do.
 */
import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { openRangeLoop } from '../../src/render/helper-threads/serve-ranges.js';

/** Data with which the thread is started. */
export interface ListHelperData {
  /** Shared memory of the render thread's loops, with their state and their ranges. */
  readonly memory: SharedArrayBuffer;
  /** A single word, which changes when a loop begins. */
  readonly wakes: SharedArrayBuffer;
  /** Number of the helper, from 1 on. */
  readonly number: number;
  /** Receives messages with the shared arrays that the loops read and write. */
  readonly port: MessagePort;
}

const { memory, wakes, number, port } = workerData as ListHelperData;
const loop = openRangeLoop(memory, number, null);
const wake = new Int32Array(wakes);
for (;;) {
  const seen = Atomics.load(wake, 0);
  for (let each = receiveMessageOnPort(port); each; each = receiveMessageOnPort(port))
    loop.hear(each.message);
  if (loop.hasWork) loop.takePart();
  else Atomics.wait(wake, 0, seen);
}
