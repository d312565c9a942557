/**
 * H1: adds one command to the table, as a single row. Contexts, argument checks, traces, validation, captures and the
 * null backend handle the new command without further code.
 */
import { expect, it, vi } from 'vitest';
import { decodeRecord, encodeRecord } from '../core/records/record-codec.js';
import { createLocalStream } from '../core/streams/page-stream.js';
import { CaptureListing } from './capture/capture-listing.js';
import { decodeCapture } from './capture/decode-capture.js';
import { RhiCapture } from './capture/rhi-capture.js';
import type { CommandRow } from './commands/command-rows.js';
import { rhiCommands } from './commands/commands.js';
import {
  type BufferHandle,
  BufferUsage,
  type RenderPassDescriptor,
  TextureUsage,
} from './commands/descriptors.js';
import { createRhi } from './host/create-rhi.js';
import { CheckedImmediateContext } from './record/checked-contexts.js';
import { traceList } from './record/trace.js';
import { validate } from './validation/validate.js';

vi.mock('./commands/commands.js', async (original) => {
  const actual = await original<typeof import('./commands/commands.js')>();
  const { defineRecordTable } = await import('../core/records/record-table.js');
  const { call, wireFields } = await import('./commands/command-rows.js');
  const { float, handle, text, word } = await import('./commands/fields.js');
  const tessellate: CommandRow = {
    scope: 'render passes',
    fields: {
      factors: handle('buffer', 'storage'),
      byteOffset: word({ multipleOf: 4 }),
      scale: float(),
      label: text(),
    },
    call: call<(factors: BufferHandle, byteOffset: number, scale: number, label: string) => void>(),
  };
  const commandRows = { ...actual.commandRows, tessellate };
  const table = defineRecordTable('RHI commands', wireFields(commandRows));
  return { ...actual, commandRows, rhiCommands: table, RhiOpcode: table.opcodes };
});

interface Tessellating {
  tessellate(factors: BufferHandle, byteOffset: number, scale: number, label: string): void;
}

/** Records a frame. `body` records inside its render pass, or without a render pass if `isInPass` is false. */
function frame(
  context: CheckedImmediateContext,
  number: number,
  body: (more: Tessellating) => void,
  isInPass = true,
): void {
  const usage = TextureUsage.renderAttachment;
  const target = context.createTexture({ label: 'target', width: 4, height: 4, format: 'rgba8unorm', usage });
  const pass: RenderPassDescriptor = {
    label: 'pass',
    colorAttachments: [{ view: { texture: target }, loadOp: 'clear', storeOp: 'store' }],
  };
  context.beginFrame(number);
  if (isInPass) context.beginRenderPass(pass);
  body(context as unknown as Tessellating);
  if (isInPass) context.endRenderPass();
  context.endFrame();
  context.destroy(target);
}

function setUp(options: Partial<Parameters<typeof createRhi>[0]> = {}) {
  const errors: { readonly code: string; readonly message: string }[] = [];
  const rhi = createRhi({ device: null, onError: (error) => errors.push(error as never), ...options });
  const { context } = rhi;
  const factors = context.createBuffer({ label: 'factors', byteLength: 64, usage: BufferUsage.storage });
  return { rhi, context, factors, codes: () => errors.splice(0).map(({ code }) => code) };
}

/** Returns a context whose records are not executed, a buffer of the context, and the reader of the records. */
function recording() {
  const { writer, reader } = createLocalStream({ table: rhiCommands });
  const context = new CheckedImmediateContext(writer, { maxFramesInFlight: 2 });
  const factors = context.createBuffer({ label: 'factors', byteLength: 64, usage: BufferUsage.storage });
  return { context, factors, reader };
}

it('H1 one further command: contexts record it as its row specifies', () => {
  const { context, factors, reader } = recording();
  frame(context, 0, (more) => more.tessellate(factors, 8, 0.5, 'hills'));
  context.publish();
  const records: unknown[] = [];
  while (reader.next()) records.push(decodeRecord(rhiCommands, reader));
  expect(records).toContainEqual({
    name: 'tessellate',
    values: { factors: factors >>> 0, byteOffset: 8, scale: 0.5, label: 'hills' },
  });
});

it('H1 one further command: its calls are checked', () => {
  const { context, factors } = setUp();
  frame(context, 0, (more) => {
    const slips: readonly [() => void, string][] = [
      [() => more.tessellate(0 as BufferHandle, 8, 1, 'a'), 'factors = 0'],
      [() => more.tessellate(factors, 6, 1, 'a'), 'byteOffset = 6. Give a multiple of 4'],
      [() => more.tessellate(factors, 8, Number.NaN, 'a'), 'scale = NaN'],
      [() => more.tessellate(factors, 8, 1, 3 as never), 'label = 3'],
    ];
    for (const [slip, message] of slips) {
      expect(slip).toThrow(
        expect.objectContaining({ code: 'bad-argument', message: expect.stringContaining(message) }),
      );
    }
  });
});

it('H1 one further command: a trace prints it, with the label of its resource', () => {
  const { context, factors, reader } = recording();
  frame(context, 0, (more) => more.tessellate(factors, 8, 0.5, 'hills'));
  context.publish();
  expect(traceList(reader)).toContain(
    '  tessellate factors=<buffer 0.0 "factors"> byteOffset=8 scale=0.5 label="hills"',
  );
});

it('H1 one further command: validation checks its scope, its handles and its alignment', () => {
  const { rhi, context, factors, codes } = setUp({ validation: validate });
  frame(context, 0, (more) => more.tessellate(factors, 8, 1, 'fine'));
  rhi.executor.pump();
  context.publish();
  rhi.executor.pump();
  expect(codes()).toEqual([]);
  frame(context, 1, (more) => more.tessellate(factors, 8, 1, 'outside'), false);
  context.publish();
  rhi.executor.pump();
  expect(codes()).toEqual(['command-outside-pass']);
  const values = { factors, byteOffset: 6, scale: 1, label: 'between words' };
  frame(context, 2, () => encodeRecord(context.writer, rhiCommands, 'tessellate' as 'draw', values as never));
  context.publish();
  rhi.executor.pump();
  expect(codes()).toEqual(['buffer-alignment']);
  context.destroy(factors);
  frame(context, 3, (more) => more.tessellate(factors, 8, 1, 'stale'));
  context.publish();
  rhi.executor.pump();
  expect(codes()).toEqual(['stale-handle']);
});

it('H1 one further command: the null backend executes it, and refuses a stale handle', async () => {
  const { rhi, context, factors, codes } = setUp();
  frame(context, 0, (more) => more.tessellate(factors, 8, 1, 'fine'));
  await rhi.flush();
  expect(codes()).toEqual([]);
  const { commandCounts } = rhi.executor as unknown as {
    readonly commandCounts: ReadonlyMap<string, number>;
  };
  expect(commandCounts.get('tessellate')).toBe(1);
  context.destroy(factors);
  frame(context, 1, (more) => more.tessellate(factors, 8, 1, 'stale'));
  await rhi.flush();
  expect(codes()).toEqual(['stale-handle']);
});

it('H1 one further command: a capture contains it and its resources', async () => {
  const { rhi, context, factors } = setUp();
  const capture = new RhiCapture(rhi);
  capture.start();
  frame(context, 0, (more) => more.tessellate(factors, 8, 0.5, 'hills'));
  await rhi.flush();
  const file = await capture.stop();
  const { stream, creations } = decodeCapture(file);
  const opcode = rhiCommands.opcodes['tessellate' as 'draw'];
  const at = [...stream.keys()].find(
    (index) => (stream[index]! & 0xff) === opcode && stream[index + 1] === factors >>> 0,
  );
  expect(at).toBeDefined();
  expect([...creations]).toContain(factors >>> 0);
  const listing = new CaptureListing(decodeCapture(file));
  const lines = listing.frames.flatMap(({ commands }) => commands.map(({ line }) => line));
  expect(lines.join('\n')).toContain('tessellate factors=<buffer 0.0 "factors">');
});
