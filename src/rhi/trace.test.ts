import { describe, expect, it } from 'vitest';
import { createLocalStream } from '../core/page-stream.js';
import { rhiCommands } from './commands.js';
import { ImmediateContext } from './immediate-context.js';
import { traceList } from './trace.js';

describe('trace', () => {
  it('prints a list readably, from the table', () => {
    const { writer, reader } = createLocalStream({ table: rhiCommands });
    const rhi = new ImmediateContext(writer, { maxFramesInFlight: 2 });
    rhi.beginFrame(7);
    const buffer = rhi.createBuffer({ label: 'vertices', byteLength: 64, usage: 0x28 });
    rhi.writeBuffer(buffer, 16, new Float32Array(4));
    rhi.beginComputePass({ label: 'skin' });
    rhi.setBindGroup(1, 6 as never, [256, 512]);
    rhi.dispatch(8, 4);
    rhi.endComputePass();
    rhi.insertDebugMarker('a very long marker that does not fit');
    rhi.endFrame();
    rhi.publish();
    expect(traceList(reader, { maximumFieldLength: 24 })).toBe(
      [
        'beginFrame frame=7 flags=0',
        '  createBuffer handle=<buffer 0.0> descriptor={"label":"vertices","byt…',
        '  writeBuffer buffer=<buffer 0.0> byteOffset=16 data=16 bytes',
        '  beginComputePass descriptor={"label":"skin"}',
        '    setBindGroup index=1 bindGroup=<bind group 0.0> dynamicOffsets=[256 512]',
        '    dispatch x=8 y=4 z=1',
        '  endComputePass',
        '  insertDebugMarker label="a very long marker that…',
        'endFrame frame=7',
      ].join('\n'),
    );
  });
});
