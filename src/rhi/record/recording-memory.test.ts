import { describe, expect, it } from 'vitest';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { rhiCommands } from '../commands/commands.js';
import { ImmediateContext } from './immediate-context.js';

/** Returns functions that record and read frames of about 200 kB, so that each frame takes several pages. */
function setUp() {
  const { writer, reader } = createLocalStream({ table: rhiCommands });
  const context = new ImmediateContext(writer, { maxFramesInFlight: 2 });
  let frame = 0;
  /** Records and publishes a frame. Returns the memory of its pages. */
  const record = (): Set<ArrayBufferLike> => {
    const memory = new Set<ArrayBufferLike>();
    context.beginFrame(frame++);
    for (let i = 0; i < 10_000; i++) {
      context.draw(i);
      memory.add(writer.words.buffer);
    }
    context.endFrame();
    context.publish();
    return memory;
  };
  const execute = () => {
    while (reader.next()) {
      // Reading is enough: the reader gives a page back when it begins the next page.
    }
  };
  return { record, execute };
}

describe('L7 recording memory', () => {
  it('is reused: no page is created after the second frame', () => {
    const { record, execute } = setUp();
    const known = new Set<ArrayBufferLike>();
    for (let frame = 0; frame < 50; frame++) {
      const memory = record();
      execute();
      expect(memory.size).toBe(4);
      const added = [...memory].filter((page) => !known.has(page)).length;
      if (frame >= 2) expect(added, `frame ${frame}`).toBe(0);
      for (const page of memory) known.add(page);
    }
    expect(known.size).toBeLessThanOrEqual(8);
  });

  it('is never reused in flight: the next frame shares no page with a frame that was not read yet', () => {
    const { record, execute } = setUp();
    const [first, second] = [record(), record()];
    expect([...second].filter((page) => first.has(page))).toEqual([]);
    execute();
    const third = record();
    expect([...third].every((page) => first.has(page) || second.has(page))).toBe(true);
  });
});
