import { describe, expect, it } from 'vitest';
import { encodeText } from '../../core/records/record-fields.js';
import { writeRecord } from '../../core/records/record-fields.test-support.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { RhiOpcode, rhiCommands } from '../commands/commands.js';
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
        '  createBuffer handle=<buffer 0.0 "vertices"> descriptor={"label":"vertices","byt…',
        '  writeBuffer buffer=<buffer 0.0 "vertices"> byteOffset=16 data=16 bytes',
        '  beginComputePass descriptor={"label":"skin"}',
        '    setBindGroup index=1 bindGroup=<bind group 0.0> dynamicOffsets=[256 512]',
        '    dispatch x=8 y=4 z=1',
        '  endComputePass',
        '  insertDebugMarker label="a very long marker that…',
        'endFrame frame=7',
      ].join('\n'),
    );
  });

  it('replaces a descriptor that is nested too deeply', () => {
    const { writer, reader } = createLocalStream({ table: rhiCommands });
    const json = encodeText('['.repeat(10_000) + ']'.repeat(10_000));
    writeRecord(writer, RhiOpcode.beginComputePass, [], [json]);
    writer.publish();
    expect(traceList(reader)).toBe('beginComputePass descriptor=(nested too deep)');
  });

  it('shows handles with the labels of their resources, in descriptors too', () => {
    const { writer, reader } = createLocalStream({ table: rhiCommands });
    const rhi = new ImmediateContext(writer, { maxFramesInFlight: 2 });
    const texture = rhi.createTexture({ label: 'a "b"', width: 1, height: 1, format: 'r8unorm', usage: 4 });
    const layout = rhi.createBindGroupLayout({
      label: 'layout',
      entries: [{ binding: 0, visibility: 2, texture: {} }],
    });
    const fence = rhi.createFence('done');
    rhi.createBindGroup({ label: 'group', layout, entries: [{ binding: 0, view: { texture } }] });
    rhi.signalFence(fence, 3);
    rhi.transition(texture, 4, 16);
    rhi.setBindGroup(0, 6 as never);
    rhi.publish();
    expect(traceList(reader).split('\n').slice(2)).toEqual([
      'createFence handle=<fence 0.0 "done"> initialValue=0 label="done"',
      'createBindGroup handle=<bind group 0.0 "group"> descriptor={"label":"group","layout":<bind group layout 0.0 "layout">,"entries":[{"binding":0,"view":{"texture":<texture 0.0 "a \\"b\\"">}}]}',
      'signalFence fence=<fence 0.0 "done"> value=3',
      'transition resource=<texture 0.0 "a \\"b\\""> before=4 after=16',
      'setBindGroup index=0 bindGroup=<bind group 0.0 "group"> dynamicOffsets=[]',
    ]);
  });
});
