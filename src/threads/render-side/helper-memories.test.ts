import { expect, it } from 'vitest';
import type { MemoryMessage } from '../../render/helper-threads/helper-loops.js';
import { HelperMemories } from './helper-memories.js';

function setUp() {
  const heard: MemoryMessage[] = [];
  let isClosed = false;
  const port = {
    postMessage: (message: MemoryMessage) => heard.push(message),
    onmessage: null,
    close: () => {
      isClosed = true;
    },
  };
  let losses = 0;
  const memories = new HelperMemories(port as unknown as MessagePort, () => losses++);
  const answer = (data: string): void =>
    (port as unknown as MessagePort).onmessage?.({ data } as unknown as MessageEvent);
  return { heard, memories, answer, lossCount: () => losses, isClosed: () => isClosed };
}

const buffer = { byteLength: 64 } as SharedArrayBuffer;
const bounds = (number: number, byteLength = 64): MemoryMessage => ({
  kind: 'bounds',
  number,
  buffer: { byteLength } as SharedArrayBuffer,
});
const clip = (number: number): MemoryMessage => ({
  kind: 'clip',
  number,
  duration: 1,
  tracks: buffer,
  floats: buffer,
});

it('sends the memories to the page once the page listens, and sends later memories at once', () => {
  const { heard, memories, answer } = setUp();
  memories.share(bounds(1));
  memories.share(bounds(2));
  expect(heard).toEqual([]);
  answer('listens');
  expect(heard).toEqual([bounds(2)]);
  memories.share(bounds(3));
  expect(heard).toEqual([bounds(2), bounds(3)]);
});

it('resends all memories in use after the page could not read a message', () => {
  const { heard, lossCount, memories, answer } = setUp();
  answer('listens');
  for (const message of [bounds(1), clip(1), clip(2)]) memories.share(message);
  memories.share({ kind: 'forgetClip', number: 1 });
  heard.length = 0;
  answer('lost');
  expect(heard).toEqual([bounds(1), clip(2)]);
  expect(lossCount()).toBe(1);
});

it('M8: counts the bytes of the newest memory of each kind, and of every clip', () => {
  const { memories } = setUp();
  const counts = [memories.byteLength];
  const messages = [
    bounds(1),
    bounds(2, 100),
    clip(1),
    clip(2),
    { kind: 'grid', number: 3, buffer } as const,
    { kind: 'forgetClip', number: 1 } as const,
    { kind: 'forgetClip', number: 1 } as const,
  ];
  for (const message of messages) {
    memories.share(message);
    counts.push(memories.byteLength);
  }
  expect(counts).toEqual([0, 64, 100, 228, 356, 420, 292, 292]);
});

it('closes its port when it is closed', () => {
  const { memories, answer, heard, isClosed } = setUp();
  answer('listens');
  memories.close();
  answer('lost');
  expect([heard, isClosed()]).toEqual([[], true]);
});
