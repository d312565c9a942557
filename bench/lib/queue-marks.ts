/**
 * When a queue was given the last write before a list, and when the list: what lies between is the list's own work, the
 * same for every loop that uses the queue.
 *
 *   writeBuffer … writeBuffer │ encode, draw by draw │ submit
 *                      writeEnd                submitBegin
 */
export class QueueMarks {
  /** Milliseconds of this thread's clock. */
  writeEnd = 0;
  submitBegin = 0;

  constructor(queue: GPUQueue) {
    const { writeBuffer, submit } = queue;
    // Own properties hide those of the prototype.
    queue.writeBuffer = (...given: Parameters<typeof writeBuffer>): undefined => {
      writeBuffer.apply(queue, given);
      this.writeEnd = performance.now();
    };
    queue.submit = (...given: Parameters<typeof submit>): undefined => {
      this.submitBegin = performance.now();
      submit.apply(queue, given);
    };
  }
}
