import type { BufferHandle } from '../commands/descriptors.js';
import type { CommandContext } from './command-context.js';

/**
 * Records the steps [from, to) of a fixed sequence. Each step is a draw; some steps also write a buffer, with inline
 * data of many sizes or with an attachment. Several threads record parts of the sequence, so that a test can compare
 * their bytes with the bytes of one thread.
 */
export function recordCalls(context: CommandContext, from: number, to: number): void {
  const buffer = 1 as BufferHandle;
  for (let index = from; index < to; index++) {
    context.draw(index, index + 1);
    if (index % 50 === 0) {
      const bytes = ((index * 7919) % 20_000) & ~3;
      context.writeBuffer(buffer, 0, new Uint8Array(bytes).fill(index));
    }
    if (index % 977 === 0)
      context.writeBufferFromAttachment(buffer, index * 4, new Uint32Array([index]).buffer);
  }
}

export interface RecordRequest {
  readonly record: unknown;
  readonly from: number;
  readonly to: number;
}
