import { describe, expect, it, vi } from 'vitest';
import { decodeRecord } from '../../core/records/record-codec.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { rhiCommands } from '../commands/commands.js';
import {
  type BindGroupHandle,
  type BufferHandle,
  BufferUsage,
  type TextureHandle,
} from '../commands/descriptors.js';
import { unsupportedCommands } from '../commands/unsupported-commands.js';
import { executeAtOnce } from '../host/bypass.js';
import { createRhi } from '../host/create-rhi.js';
import { CheckedImmediateContext, CheckedDeferredContext as DeferredContext } from './checked-contexts.js';
import type { CommandContext } from './command-context.js';
import type { DrawRecorder } from './draw-bundle.js';
import { ImmediateContext } from './immediate-context.js';

const texture = 0x4002 as TextureHandle;
const buffer = 0x4001 as BufferHandle;
const region = { width: 1, height: 1 };
const bytes = new Uint8Array(4);

/**
 * Functions by kind of context. Each runs `work` with a new context, and returns the number of records that `work`
 * adds to the stream. Commands inside a draw bundle are not counted, because they are part of the bundle's record.
 */
const kinds: Readonly<Record<string, (work: (context: CommandContext) => void) => number>> = {
  'the engine’s immediate context': (work) => recordedBy(ImmediateContext, work),
  'the immediate context': (work) => recordedBy(CheckedImmediateContext, work),
  bypass: (work) => {
    const { writer, reader } = createLocalStream({ table: rhiCommands });
    const context = new CheckedImmediateContext(writer, { maxFramesInFlight: 2 });
    let records = 0;
    work(
      executeAtOnce(context, () => {
        writer.publish();
        while (reader.next()) records++;
      }),
    );
    return records;
  },
  'a deferred context': (work) =>
    recordedBy(CheckedImmediateContext, (context) => {
      const immediate = context as CheckedImmediateContext;
      immediate.beginFrame(0);
      const deferred = new DeferredContext();
      deferred.begin(immediate.openSubList('list'));
      work(deferred);
      immediate.executeSubLists([deferred.finish()]);
      immediate.endFrame();
    }) - 2,
  'a draw bundle': (work) => {
    let error: unknown;
    const records = recordedBy(CheckedImmediateContext, (context) => {
      (context as CheckedImmediateContext).createDrawBundle({ label: 'bundle' }, (draws) => {
        try {
          work(draws as CommandContext);
        } catch (thrown) {
          error = thrown;
        }
      });
    });
    if (error !== undefined) throw error;
    return records - 1;
  },
};

/** Runs `work` with a new context of the class, and returns the number of all records. */
function recordedBy(
  Context: new (...args: ConstructorParameters<typeof ImmediateContext>) => ImmediateContext,
  work: (context: CommandContext) => void,
): number {
  const { writer, reader } = createLocalStream({ table: rhiCommands });
  work(new Context(writer, { maxFramesInFlight: 2 }));
  writer.publish();
  let records = 0;
  while (reader.next()) records++;
  return records;
}

describe('H1 the arguments of calls', () => {
  for (const [kind, record] of Object.entries(kinds)) {
    it(`${kind}: refuses dynamic offsets that are not lists at the call, and records nothing`, () => {
      const group = 0x4006 as BindGroupHandle;
      for (const offsets of [256, -1, 1.5, Number.NaN, {}, null, { length: 1.5 }, { length: -1 }]) {
        const records = record((context) => {
          expect(() => context.setBindGroup(0, group, offsets as never), String(offsets)).toThrow(
            expect.objectContaining({
              code: 'bad-argument',
              message: expect.stringContaining('The bind group 1.0 takes a list of dynamic offsets, not '),
            }),
          );
        });
        expect(records, String(offsets)).toBe(0);
      }
      record((context) => {
        context.setBindGroup(0, group);
        context.setBindGroup(0, group, [256]);
        context.setBindGroup(0, group, Uint32Array.of(256));
      });
    });
  }

  const image = { close: () => {}, width: 1 } as unknown as ImageBitmap;
  const wrong = (value: unknown): never => value as never;
  const transferred = (): Uint8Array<ArrayBuffer> => {
    const view = new Uint8Array(8);
    structuredClone(view.buffer, { transfer: [view.buffer] });
    return view;
  };

  /** Calls with a wrong argument, by a part of the error's text. */
  const slips: Readonly<Record<string, readonly ((context: CommandContext) => void)[]>> = {
    'mip = 1': [
      (c) => c.writeTexture(texture, wrong({ ...region, mip: 1 }), bytes),
      (c) => c.writeTextureFromAttachment(texture, wrong({ ...region, mip: 1 }), bytes.buffer),
      (c) => c.copyExternalImage(image, texture, wrong({ ...region, mip: 1 })),
      (c) => c.copyBufferToTexture(buffer, texture, wrong({ ...region, mip: 1 })),
      (c) => c.copyTextureToBuffer(texture, buffer, wrong({ ...region, mip: 1 })),
      (c) => c.copyTextureToTexture(texture, texture, wrong({ ...region, mip: 1 })),
    ],
    'colour = a list': [(c) => c.clearTexture(texture, wrong({ colour: [1, 0, 0, 1] }))],
    'color = [1, 0, 0]': [(c) => c.clearTexture(texture, { color: wrong([1, 0, 0]) })],
    'the texture region = undefined': [(c) => c.writeTexture(texture, wrong(undefined), bytes)],
    'the texture region = "all"': [(c) => c.writeTexture(texture, wrong('all'), bytes)],
    'height = undefined': [(c) => c.writeTexture(texture, wrong({ width: 1 }), bytes)],
    'bytesPerRow = 1.5': [(c) => c.writeTexture(texture, { ...region, bytesPerRow: 1.5 }, bytes)],
    'origin = 3': [(c) => c.writeTexture(texture, { ...region, origin: wrong(3) }, bytes)],
    'aspect = "depth"': [(c) => c.clearTexture(texture, { aspect: wrong('depth') })],
    'flipY = 1': [(c) => c.copyExternalImage(image, texture, { ...region, flipY: wrong(1) })],
    'data = undefined': [
      (c) => c.writeTexture(texture, region, wrong(undefined)),
      (c) => c.writeBufferFromAttachment(buffer, 0, wrong(undefined)),
      (c) => c.writeTextureFromAttachment(texture, region, wrong(undefined)),
    ],
    'data = null': [(c) => c.localCommand('name', wrong(null))],
    'data = an object': [
      (c) => c.writeBufferFromAttachment(buffer, 0, wrong(bytes)),
      (c) => c.writeBufferFromAttachment(buffer, 0, wrong(new SharedArrayBuffer(8))),
      (c) => c.writeTextureFromAttachment(texture, region, wrong(bytes)),
    ],
    'data whose memory was transferred away': [
      (c) => c.writeBuffer(buffer, 0, transferred()),
      (c) => c.writeBuffer(buffer, 0, transferred().buffer),
      (c) => c.writeBufferFromAttachment(buffer, 0, transferred().buffer),
      (c) => c.writeBufferUnordered(buffer, 0, transferred()),
      (c) => c.writeTexture(texture, region, transferred()),
    ],
    'byteLength = 16': [(c) => c.writeBufferFromAttachment(buffer, 0, new ArrayBuffer(8), 0, 16)],
    'source = undefined': [(c) => c.copyExternalImage(wrong(undefined), texture, region)],
    'source = null': [(c) => c.copyExternalImage(wrong(null), texture, region)],
    'source = 16386': [(c) => c.copyExternalImage(wrong(texture), wrong(region), wrong({}))],
    'source = an object': [(c) => c.copyExternalImage(wrong({}), texture, region)],
    'source.width = 0': [(c) => c.copyExternalImage(wrong({ ...image, width: 0 }), texture, region)],
    'buffer = 1.5': [
      (c) => c.writeBuffer(wrong(1.5), 0, bytes),
      (c) => c.clearBuffer(wrong(1.5), 0, 4),
      (c) => c.readBuffer(0, wrong(1.5), 0, 4),
    ],
    'buffer = 0': [(c) => c.renameBuffer(wrong(0))],
    'buffer = 3': [(c) => c.renameBuffer(wrong(3n))],
    'byteLength = 1.5': [
      (c) => c.clearBuffer(buffer, 0, 1.5),
      (c) => c.copyBufferToBuffer(buffer, 0, buffer, 8, 1.5),
      (c) => c.readBuffer(0, buffer, 0, 1.5),
    ],
    'byteLength = undefined': [(c) => c.clearBuffer(buffer, 0, wrong(undefined))],
    'format = "UINT32"': [
      (c) => c.setIndexBuffer(buffer, wrong('UINT32'), 0, 4),
      (c) => (c as DrawRecorder).setIndexBuffer(buffer, wrong('UINT32'), 0, 4),
    ],
    'x = -1': [(c) => c.setScissorRect(-1, 0, 1, 1)],
    'width = NaN': [
      (c) => c.setScissorRect(0, 0, Number.NaN, 1),
      (c) => c.setViewport(0, 0, Number.NaN, 1, 0, 1),
    ],
    'reference = -1': [(c) => c.setStencilRef(-1)],
    'red = undefined': [(c) => c.setBlendFactor(wrong(undefined), 0, 0, 0)],
    'queue = "compute"': [(c) => c.setQueue(wrong('compute'))],
    'label = undefined': [
      (c) => c.pushDebugGroup(wrong(undefined)),
      (c) => c.insertDebugMarker(wrong(undefined)),
    ],
    'name = undefined': [(c) => c.localCommand(wrong(undefined))],
    'fence = "f"': [(c) => c.signalFence(wrong('f'), 1), (c) => c.waitFence(wrong('f'), 1)],
  };
  for (const [kind, record] of Object.entries(kinds).slice(1)) {
    it(`${kind}: refuses arguments of the wrong kind and misspelt names at the call, and records nothing`, () => {
      for (const [slip, calls] of Object.entries(slips)) {
        for (const call of calls) {
          const records = record((context) => {
            expect(() => call(context), String(call)).toThrow(
              expect.objectContaining({ code: 'bad-argument', message: expect.stringContaining(slip) }),
            );
          });
          expect(records, String(call)).toBe(0);
        }
      }
    });
  }

  it('messages name the call’s resource by its label', () => {
    const { writer } = createLocalStream({ table: rhiCommands });
    const context = new CheckedImmediateContext(writer, { maxFramesInFlight: 2 });
    const sky = context.createTexture({ label: 'sky', width: 4, height: 4, format: 'rgba8unorm', usage: 2 });
    expect(() => context.copyExternalImage(wrong(undefined), sky, region)).toThrow(
      'copyExternalImage of the texture "sky" (texture 0.0) was given source = undefined. Give an ImageBitmap',
    );
  });

  it('writeTexture accepts a Float32Array, and writes its bytes', () => {
    const { writer, reader } = createLocalStream({ table: rhiCommands });
    const context = new CheckedImmediateContext(writer, { maxFramesInFlight: 2 });
    context.writeTexture(texture, region, wrong(new Float32Array([1, 2])));
    context.publish();
    reader.next();
    const { values } = decodeRecord(rhiCommands, reader) as { values: { data: Uint8Array } };
    expect([...values.data]).toEqual([...new Uint8Array(new Float32Array([1, 2]).buffer)]);
  });

  it('the calls that only the immediate context has refuse wrong arguments too', () => {
    const rhi = createRhi({ device: null });
    const { context } = rhi;
    const viewport = context.createViewportTarget('canvas');
    const own: Readonly<Record<string, () => void>> = {
      'the listener = undefined': () => context.onFrameFinished(wrong(undefined)),
      'label = undefined': () => context.createFence(wrong(undefined)),
      'label = 3': () => context.createViewportTarget(wrong(3)),
      'label = 4': () => context.beginScene(wrong(4)),
      'flags = "wait"': () => context.beginFrame(0, wrong('wait')),
      'width = NaN': () => context.beginDrawingViewport(viewport, Number.NaN, 64),
      'handle = 0': () => context.destroy(wrong(0)),
      'its recording = undefined': () => context.createDrawBundle({ label: 'trees' }, wrong(undefined)),
      'timestamp = "now"': () => context.outputVideoFrame(1, wrong('now')),
    };
    for (const [slip, call] of Object.entries(own)) {
      expect(call, slip).toThrow(
        expect.objectContaining({ code: 'bad-argument', message: expect.stringContaining(slip) }),
      );
    }
    context.beginFrame(0);
    expect(() => context.openSubList('list', wrong({ queu: 1 }))).toThrow(
      expect.objectContaining({ code: 'option-unknown' }),
    );
    expect(() => context.openSubList(wrong(undefined))).toThrow('openSubList was given label = undefined');
    context.endFrame();
    rhi.dispose();
  });
});

describe('C commands that WebGPU lacks', () => {
  it.each(Object.keys(unsupportedCommands))('%s throws capability-missing in every context', (name) => {
    const { writer } = createLocalStream({ table: rhiCommands });
    const immediate = new CheckedImmediateContext(writer, { maxFramesInFlight: 2 });
    for (const context of [immediate, new DeferredContext()]) {
      const call = (context as unknown as Readonly<Record<string, () => void>>)[name];
      expect(() => call.call(context)).toThrow(expect.objectContaining({ code: 'capability-missing' }));
    }
  });
});

describe('L7 uploads beyond the limit of pages', () => {
  it('a frame may write more than the stream’s limit: data beyond 8 MiB is sent as attachments', async () => {
    const rhi = createRhi({ device: null });
    const { context } = rhi;
    const target = context.createBuffer({ label: 'big', byteLength: 2 ** 20, usage: BufferUsage.copyTarget });
    const data = new Uint8Array(2 ** 20).fill(7);
    context.beginFrame(0);
    for (let i = 0; i < 300; i++) context.writeBuffer(target, 0, data);
    expect(context.writer.pagesOutstanding).toBeLessThan(200);
    context.endFrame();
    await rhi.flush();
    expect(rhi.executor.stats.uploadBytes).toBe(300 * 2 ** 20);
    rhi.dispose();
  });

  it('a recorder that awaits whenWritable keeps all data in the stream, below its limit', async () => {
    const rhi = createRhi({ device: null });
    const { context } = rhi;
    const target = context.createBuffer({ label: 'big', byteLength: 2 ** 20, usage: BufferUsage.copyTarget });
    const beside = vi.spyOn(context.writer, 'attach');
    context.beginFrame(0);
    for (let i = 0; i < 100; i++) {
      if (i % 4 === 0) await rhi.whenWritable();
      for (let k = 0; k < 1024; k++) context.writeBuffer(target, 0, new Uint8Array(1024));
    }
    context.endFrame();
    await rhi.flush();
    expect(beside).not.toHaveBeenCalled();
    expect(rhi.executor.stats.uploadBytes).toBe(100 * 2 ** 20);
    rhi.dispose();
  });

  it('only the calls decide which data is sent as attachments, and the count restarts in each frame and list', () => {
    const { writer, reader } = createLocalStream({ table: rhiCommands });
    const context = new CheckedImmediateContext(writer, { maxFramesInFlight: 2 });
    const deferred = new DeferredContext();
    const MiB = new Uint8Array(2 ** 20).fill(3);
    const frame = (number: number): string[] => {
      context.beginFrame(number);
      for (let i = 0; i < 9; i++) context.writeBuffer(buffer, 0, MiB);
      context.writeBuffer(buffer, 0, bytes);
      context.writeTexture(texture, { width: 512, height: 512, bytesPerRow: 2048 }, MiB);
      deferred.begin(context.openSubList('list'));
      for (let i = 0; i < 9; i++) deferred.writeBuffer(buffer, 0, MiB.subarray(1, 2 ** 20 - 3));
      context.executeSubLists([deferred.finish()]);
      context.endFrame();
      context.publish();
      const runs: string[] = [];
      while (reader.next()) {
        const name = rhiCommands.names[reader.opcode];
        if (name.includes('Attachment')) {
          const data = new Uint8Array(reader.attachment(reader.words[reader.fields]) as ArrayBuffer);
          expect([data[0], data.at(-1)]).toEqual([3, 3]);
        }
        if (runs.at(-1) !== name) runs.push(name);
      }
      return runs;
    };
    const expected = [
      'beginFrame',
      'writeBuffer',
      'writeBufferFromAttachment',
      'writeBuffer',
      'writeTextureFromAttachment',
      'writeBuffer',
      'writeBufferFromAttachment',
      'endFrame',
    ];
    expect(frame(0)).toEqual(expected);
    expect(frame(1)).toEqual(expected);
  });

  it('beginFrame throws the stream’s error if the stream has ended while a frame was open', () => {
    const limits = { softPages: 1, hardPages: 2, fatalPages: 4 };
    const { writer } = createLocalStream({ table: rhiCommands, limits });
    const context = new CheckedImmediateContext(writer, { maxFramesInFlight: 2 });
    context.beginFrame(0);
    const overrun = expect.objectContaining({ code: 'stream-overrun' });
    expect(() => {
      for (;;) context.draw(3);
    }).toThrow(overrun);
    expect(() => context.beginFrame(1)).toThrow(overrun);
  });
});
