import { describe, expect, it } from 'vitest';
import type { StreamError } from '../../core/errors.js';
import type { AttachmentReader, AwaitedAttachment } from '../../core/streams/stream.js';
import { ManualClock } from '../testing/manual-clock.js';
import { watchAttachments } from './attachment-watch.js';

class TestReader implements AttachmentReader {
  awaitedAttachment: AwaitedAttachment | null = null;
  onAttachmentWait: (() => void) | null = null;
  readonly onProgress = null;
  readonly closedWith: string[] = [];

  wait(number: number): void {
    this.awaitedAttachment = { number, record: 'createTexture', stream: 'render commands' };
    this.onAttachmentWait?.();
  }

  close(reason?: Error): void {
    this.awaitedAttachment = null;
    this.closedWith.push((reason as StreamError).code);
  }
}

function setUp() {
  const clock = new ManualClock();
  const reader = new TestReader();
  const errors: StreamError[] = [];
  const onError = (error: StreamError): void => void errors.push(error);
  watchAttachments(reader, { reportSeconds: 1, restartSeconds: 5, onError, clock, processorShare: () => 1 });
  return { clock, reader, errors };
}

describe('R9 a stream that waits for an attachment', () => {
  it('reports the missing attachment after 1 s, and ends the stream after 5 s', () => {
    const { clock, reader, errors } = setUp();
    expect(clock.timers.size).toBe(0);
    reader.wait(3);
    clock.advance(999);
    expect(errors).toEqual([]);
    clock.advance(1);
    expect(errors).toMatchObject([
      {
        code: 'attachment-late',
        details: { stream: 'render commands', record: 'createTexture', attachment: '3' },
      },
    ]);
    expect(errors[0]!.message).toMatch(/"render commands" has waited 1 s for attachment 3.*"createTexture"/);
    expect(errors[0]!.message).toContain('It may have been lost, or its thread is busy.');
    clock.advance(3999);
    expect(reader.closedWith).toEqual([]);
    clock.advance(1);
    expect(reader.closedWith).toEqual(['attachment-lost']);
    clock.advance(20_000);
    expect([errors.length, reader.closedWith.length, clock.timers.size]).toEqual([1, 1, 0]);
  });

  it('reports no attachment that arrives in time, and restarts the count for the next one', () => {
    const { clock, reader, errors } = setUp();
    reader.wait(3);
    clock.advance(900);
    reader.wait(4);
    clock.advance(900);
    reader.awaitedAttachment = null;
    clock.advance(10_000);
    expect([errors, reader.closedWith, clock.timers.size]).toEqual([[], [], 0]);
  });

  it('does not count time in which this thread itself was blocked', () => {
    const { clock, reader, errors } = setUp();
    reader.wait(3);
    clock.block(60_000);
    clock.advance(0);
    expect([errors, reader.closedWith]).toEqual([[], []]);
  });
});
