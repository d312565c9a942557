import { describe, expect, it } from 'vitest';
import { decodeRecord } from '../../core/records/record-codec.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { rhiCommands } from '../../rhi/commands/commands.js';
import { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GrowingBuffer } from './growing-buffer.js';

describe('a growing buffer', () => {
  it('doubles up to the largest size that the device binds, and is never smaller than requested', () => {
    const { writer, reader } = createLocalStream({ table: rhiCommands });
    const rhi = new ImmediateContext(writer, { maxFramesInFlight: 2 });
    rhi.maximumBindingBytes = 4012;
    const buffer = new GrowingBuffer('slots');
    for (const byteLength of [1000, 1009, 2019, 3900, 4000, 4001]) buffer.reserve(rhi, byteLength);
    rhi.publish();
    const sizes: number[] = [];
    while (reader.next()) {
      const { name, values } = decodeRecord(rhiCommands, reader);
      if (name === 'createBuffer') sizes.push((values.descriptor as { byteLength: number }).byteLength);
    }
    expect(sizes).toEqual([1008, 2016, 4000, 4016]);
  });

  it('throws an error with its name if it is used before its creation', () => {
    expect(() => new GrowingBuffer('slots').handle).toThrow(
      expect.objectContaining({ code: 'buffer-missing', message: expect.stringContaining('"slots"') }),
    );
  });
});
