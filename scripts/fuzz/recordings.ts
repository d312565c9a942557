/**
 * Unmodified command lists and captures, which a fuzzer then changes: the lists of every command (`e2e/rhi/lists`),
 * frames of the renderer, and captures of such lists. All are recorded without a GPU.
 */
import { commandLists, testName } from '../../e2e/rhi/lists/index.js';
import { runList } from '../../e2e/rhi/lists/run-list.js';
import { encodeRecord } from '../../src/core/records/record-codec.js';
import { ForwardingReader } from '../../src/core/streams/forwarding-reader.js';
import { createLocalStream } from '../../src/core/streams/page-stream.js';
import type { Attachment } from '../../src/core/streams/stream.js';
import { RendererBench } from '../../src/render/renderer.test-support.js';
import { makeTestCapture } from '../../src/rhi/capture/capture.test-support.js';
import { RhiCapture } from '../../src/rhi/capture/rhi-capture.js';
import { rhiCommands } from '../../src/rhi/commands/commands.js';
import { TextureUsage } from '../../src/rhi/commands/descriptors.js';
import { createRhi } from '../../src/rhi/host/create-rhi.js';
import { nullCapabilities } from '../../src/rhi/null/executor.js';

export interface Recording {
  readonly name: string;
  /** Records with their headers. */
  readonly records: readonly Uint32Array[];
  /** Attachments by number; null for an image. */
  readonly attachments: ReadonlyMap<number, ArrayBuffer | null>;
}

export interface RecordedCapture {
  readonly name: string;
  readonly file: ArrayBuffer;
}

/** Words of the longest record. Longer records take time without testing more. */
const LONGEST_RECORD = 2000;
/** Bytes of the largest capture. */
const LARGEST_CAPTURE = 12_000;

/** A reader that keeps the records that it forwards. */
class Recorder extends ForwardingReader {
  readonly records: Uint32Array[] = [];
  readonly attachments = new Map<number, ArrayBuffer | null>();

  override next(): boolean {
    if (!super.next()) return false;
    const { words, fields, fieldWords } = this;
    if (fieldWords < LONGEST_RECORD) this.records.push(words.slice(fields - 1, fields + fieldWords));
    return true;
  }

  override attachment(number: number): Attachment {
    const attachment = super.attachment(number);
    this.attachments.set(number, attachment instanceof ArrayBuffer ? attachment.slice(0) : null);
    return attachment;
  }
}

export async function recordLists(): Promise<Recording[]> {
  const recordings: Recording[] = [];
  for (const list of commandLists) {
    if (list.needs !== undefined) continue;
    let recorder: Recorder | undefined;
    await runList(list, null, (reader) => {
      recorder = new Recorder(reader);
      return recorder;
    });
    if (recorder) recordings.push({ name: testName(list), ...kept(recorder) });
  }
  recordings.push(recordRest(), ...recordRenderer());
  return recordings;
}

const kept = ({ records, attachments }: Recorder): Pick<Recording, 'records' | 'attachments'> => ({
  records,
  attachments,
});

/** Records commands that the lists omit because their results need a GPU or a browser. */
function recordRest(): Recording {
  let recorder: Recorder | undefined;
  const rhi = createRhi({
    device: null,
    onError: () => {},
    localCommands: new Map([['known', () => {}]]),
    wrapReader: (reader) => {
      recorder = new Recorder(reader);
      return recorder;
    },
  });
  const { context } = rhi;
  const usage = TextureUsage.copyTarget | TextureUsage.textureBinding;
  const texture = context.createTexture({ label: 'image', width: 4, height: 4, format: 'rgba8unorm', usage });
  const fences = [context.createFence('first'), context.createFence('second', 5)] as const;
  for (let frame = 1; frame < 4; frame++) {
    context.beginFrame(frame);
    context.copyExternalImage({ close: () => {} } as ImageBitmap, texture, { width: 4, height: 4 });
    context.localCommand('known', Uint8Array.of(1, 2, 3));
    context.signalFence(fences[0], frame);
    context.waitFence(fences[0], frame);
    context.signalFence(fences[1], 5 + frame);
    context.outputVideoFrame(1, 1000);
    context.endFrame();
  }
  for (const fence of fences) context.destroy(fence);
  context.publish();
  rhi.executor.pump();
  rhi.dispose();
  return { name: 'images, fences and local commands', ...kept(recorder as unknown as Recorder) };
}

/** Records three frames of a small scene with the engine's renderer, with 1 and with 4 samples per pixel. */
function recordRenderer(): Recording[] {
  return ([1, 4] as const).map((sampleCount) => {
    const bench = new RendererBench({ sampleCount });
    bench.camera(0);
    bench.geometry(0);
    bench.texture(0);
    bench.material(0);
    bench.material(1, 0, 0);
    for (let index = 0; index < 4; index++) {
      bench.node(index + 1, [index - 2, 0, 0]);
      bench.primitive(index, index + 1, 0, index % 2);
    }
    const { writer, reader } = createLocalStream({ table: rhiCommands });
    const recorder = new Recorder(reader);
    for (let frame = 1; frame < 4; frame++) {
      bench.move(1, [frame, 0, 0]);
      for (const { name, values } of bench.frame(frame)) {
        const isAttachment = name === 'writeBufferFromAttachment';
        const data = isAttachment
          ? { data: writer.attach(new ArrayBuffer(values.byteLength as number)) }
          : {};
        encodeRecord(writer, rhiCommands, name as 'draw', { ...values, ...data } as never);
      }
    }
    writer.publish();
    while (recorder.next()) {
      if (recorder.opcode === rhiCommands.opcodes.writeBufferFromAttachment) {
        recorder.attachment(recorder.words[recorder.fields] as number);
      }
    }
    return { name: `the renderer's frames, ${sampleCount} samples`, ...kept(recorder) };
  });
}

export async function recordCaptures(): Promise<RecordedCapture[]> {
  const captures = [{ name: 'a bit of everything', file: await makeTestCapture() }];
  for (const list of commandLists) {
    if (list.needs !== undefined || list.errors !== undefined) continue;
    let capture: RhiCapture | undefined;
    await runList(list, null, (reader) => {
      capture = new RhiCapture({ reader, capabilities: nullCapabilities() });
      capture.start();
      return reader;
    });
    const file = await capture?.stop();
    if (file && file.byteLength <= LARGEST_CAPTURE) captures.push({ name: testName(list), file });
  }
  return captures;
}
