import { expect, it } from 'vitest';
import { connectStreamReader, connectStreamWriter, createLocalStream } from './page-stream.js';
import { defineRecordTable } from './record-table.js';

const table = defineRecordTable('t', { a: { x: 'u32' }, b: { d: 'attachment', y: 'u32' } });
for (const kind of ['local', 'shared', 'transfer'])
  it(kind, async () => {
    const channel = new MessageChannel();
    const { writer, reader } =
      kind === 'local'
        ? createLocalStream({ table })
        : {
            writer: connectStreamWriter(channel.port1, { table, shared: kind === 'shared' }),
            reader: connectStreamReader(channel.port2, { table, shared: kind === 'shared' }),
          };
    let wake = () => {};
    const got: number[] = [];
    reader.onAvailable = () => {
      while (reader.next()) {
        got.push(reader.words[reader.opcode === 2 ? reader.fields + 1 : reader.fields]);
        if (reader.opcode === 2)
          expect((reader.attachment(reader.words[reader.fields]) as ArrayBuffer).byteLength).toBe(8);
      }
      if (got.length === 60001) wake();
    };
    const done = new Promise<void>((r) => {
      wake = r;
    });
    for (let i = 0; i < 60000; i++) {
      const at = writer.reserve(1, 1);
      writer.words[at] = i;
    }
    const k = writer.attach(new ArrayBuffer(8));
    const at = writer.reserveWithAttachment(2, 2);
    writer.words[at] = k;
    writer.words[at + 1] = 7;
    writer.publish();
    await done;
    expect(got[59999]).toBe(59999);
    expect(got[60000]).toBe(7);
    const late = reader;
    late.next();
    await new Promise((r) => setTimeout(r, 20));
    expect(writer.pagesOutstanding).toBe(0);
    const failed = expect(
      new Promise((_, reject) => {
        reader.onAvailable = () => {
          try {
            reader.next();
          } catch (e) {
            reject(e as Error);
          }
        };
      }),
    ).rejects.toThrow('bad');
    writer.close(new Error('bad'));
    await failed;
    reader.close();
  });
