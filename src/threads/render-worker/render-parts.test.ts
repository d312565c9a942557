/** The table of parts at work in the render thread's loop, over every kind of stream. */
import { afterEach, describe, expect, it } from 'vitest';
import { defineRecordTable } from '../../core/define-record-table.js';
import { PlatformError, StreamError, ThreadError } from '../../core/errors.js';
import { EventRing } from '../../core/event-ring.js';
import { connectStreamReader, connectStreamWriter, createLocalStream } from '../../core/page-stream.js';
import { encodeRecord } from '../../core/record-codec.js';
import type { StreamReader, StreamWriter } from '../../core/stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import { PrivateFence } from '../../sync/monitored/private-fence.js';
import { COMMAND_PARTS, type CommandPart, type RenderPart } from '../control/thread-parts.js';
import { RenderThread } from './render-thread.js';

/** Today's commands and two more, which stand behind those of all parts. */
const table = defineRecordTable('render commands', {
  ...renderCommands.fields,
  testPart: { value: 'u32' },
  testCore: { value: 'u32' },
  testPicture: { picture: 'attachment' },
});
const parts: Readonly<Record<string, CommandPart>> = {
  ...(COMMAND_PARTS as Readonly<Record<string, CommandPart>>),
  testPart: { part: 'test' as never, absent: 'hold' },
  testPicture: { part: 'test' as never, absent: 'hold' },
};

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

const carriers = ['local', 'transfer', 'shared'] as const;

function createStream(carrier: (typeof carriers)[number]): { writer: StreamWriter; reader: StreamReader } {
  if (carrier === 'local') return createLocalStream({ table });
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  const shared = carrier === 'shared';
  return {
    writer: connectStreamWriter(port1, { shared, table }),
    reader: connectStreamReader(port2, { shared, table }),
  };
}

/** A render thread whose renderer notes what it is given, and whose part comes when the test lets it. */
function setUp(carrier: (typeof carriers)[number] = 'local') {
  const { writer, reader } = createStream(carrier);
  const executed: string[] = [];
  const errors: unknown[] = [];
  const note =
    (who: string) =>
    (from: StreamReader): void =>
      void executed.push(`${who} ${table.names[from.opcode]} ${from.words[from.fields]}`);
  const part: RenderPart = {
    execute: (from, { frame }) => note(`part in ${frame}:`)(from),
    beginFrame: ({ frame }) => void executed.push(`part begins ${frame}`),
  };
  const loads: { deliver: () => void; fail: () => void }[] = [];
  /** As those of parts that record as soon as they are made. */
  const createRenderPart = (): RenderPart => {
    if (hasReaderGone)
      throw new StreamError('stream-closed', 'The reader of the stream "RHI commands" has closed it.');
    return part;
  };
  let hasReaderGone = false;
  const rendered = new PrivateFence('rendered');
  const completed = new PrivateFence('completed');
  const thread = new RenderThread({
    reader,
    rhiWriter: { isWritable: true, bytesWritten: 0 } as never,
    rhi: { beginFrame: () => {}, endFrame: () => {}, publish: () => {}, bundleRecorder: null } as never,
    renderer: {
      execute: note('renderer'),
      renderFrame: ({ frame }: { frame: number }) => executed.push(`draw ${frame}`),
      mustNotSkip: false,
      stats: { primitives: 0, visible: 0 },
    } as never,
    maxFramesInFlight: 2,
    rendered,
    completed,
    stats: new Float64Array(24),
    events: new EventRing(),
    onError: (error) => errors.push(error),
    onFrame: () => {},
    loadBundles: () => Promise.reject(new Error('No bundle is recorded here.')),
    parts: {
      table: parts,
      names: table.names,
      load: () =>
        new Promise((resolve, reject) =>
          loads.push({
            deliver: () => resolve({ createRenderPart }),
            fail: () => reject(new PlatformError('part-missing', 'Offline.')),
          }),
        ),
    },
  });
  let last = 0;
  const frame = (write: () => void): void => {
    const number = ++last;
    encodeRecord(writer, table, 'beginFrame', { frame: number, flags: 0, deltaSeconds: 0, timeSeconds: 0 });
    write();
    encodeRecord(writer, table, 'endFrame', { frame: number });
    writer.publish();
  };
  const send = (name: 'testPart' | 'testCore', value: number): void => {
    encodeRecord(writer, table, name, { value });
  };
  /** Until the loop has come to rest. */
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 8; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  /** As a lost device does: the thread is stopped, and who executes reads no more. */
  const end = (): void => {
    thread.stop();
    hasReaderGone = true;
  };
  return { writer, executed, errors, loads, rendered, frame, send, settle, end };
}

describe('the table of parts', () => {
  it('a render command that stands behind `declareMotion` in the table reaches the renderer', async () => {
    const { executed, frame, send, settle } = setUp();
    expect(table.opcodes.testCore).toBeGreaterThan(table.opcodes.declareMotion);
    frame(() => send('testCore', 7));
    await settle();
    expect(executed).toEqual(['renderer testCore 7', 'draw 1']);
  });

  for (const carrier of carriers) {
    it(`a part is loaded once, and the stream waits for it: the same order whenever it comes (${carrier})`, async () => {
      const runs = await Promise.all(
        [0, 1, 2].map(async (lateness) => {
          const { executed, errors, loads, rendered, frame, send, settle } = setUp(carrier);
          const write = (number: number): void =>
            frame(() => {
              send('testCore', number);
              send('testPart', number);
              send('testCore', number + 10);
              send('testPart', number + 10);
            });
          write(1);
          await settle();
          // The commands before the part's are executed; what follows is not, and nothing is drawn.
          expect(executed).toEqual(['renderer testCore 1']);
          for (let early = 0; early < lateness; early++) {
            write(early + 2);
            await settle();
            expect(executed).toHaveLength(1);
          }
          loads[0]?.deliver();
          await settle();
          for (let number = lateness + 2; number <= 3; number++) {
            write(number);
            await settle();
          }
          expect([loads.length, errors, rendered.value]).toEqual([1, [], 3]);
          return executed;
        }),
      );
      const ofFrame = (number: number): string[] => [
        `renderer testCore ${number}`,
        `part in ${number}: testPart ${number}`,
        `renderer testCore ${number + 10}`,
        `part in ${number}: testPart ${number + 10}`,
        `part begins ${number}`,
        `draw ${number}`,
      ];
      for (const executed of runs) expect(executed).toEqual([1, 2, 3].flatMap(ofFrame));
    });
  }

  it('a part that can’t be had is one error; its commands are left out, and the next frame asks again', async () => {
    const { executed, errors, loads, frame, send, settle } = setUp();
    const write = (number: number): void =>
      frame(() => {
        send('testPart', number);
        send('testPart', number);
        send('testCore', number);
      });
    write(1);
    await settle();
    loads[0]?.fail();
    await settle();
    expect(executed).toEqual(['renderer testCore 1', 'draw 1']);
    expect(errors).toMatchObject([{ code: 'part-missing' }]);
    write(2);
    await settle();
    loads[1]?.deliver();
    await settle();
    expect(executed.slice(2)).toEqual([
      'part in 2: testPart 2',
      'part in 2: testPart 2',
      'renderer testCore 2',
      'part begins 2',
      'draw 2',
    ]);
    expect([loads.length, errors.length]).toEqual([2, 1]);
  });

  it('R9: a part that is loaded when the thread has ended is not made, and its failure is told to nobody, whichever comes first', async () => {
    for (const outcome of ['deliver', 'fail'] as const) {
      // How many turns of microtasks lie between the two: from the same one to long after.
      for (let turns = -4; turns <= 4; turns++) {
        const { executed, errors, loads, frame, send, settle, end } = setUp();
        frame(() => send('testPart', 1));
        await settle();
        const steps = [() => loads[0]?.[outcome](), end];
        if (turns < 0) steps.reverse();
        steps[0]?.();
        for (let turn = 0; turn < Math.abs(turns) - 1; turn++) await Promise.resolve();
        const hadTime = executed.length > 0 || errors.length > 0;
        steps[1]?.();
        await settle();
        if (!hadTime) expect({ turns, executed, errors }).toEqual({ turns, executed: [], errors: [] });
        if (turns < 0) expect(hadTime).toBe(false);
        expect(errors).not.toContainEqual(expect.objectContaining({ code: 'stream-closed' }));
      }
    }
  });

  it('what a command that is left out carries is freed', async () => {
    const { writer, loads, frame, settle } = setUp();
    const picture = { isClosed: false, close: () => {} };
    picture.close = () => {
      picture.isClosed = true;
    };
    frame(() => encodeRecord(writer, table, 'testPicture', { picture: writer.attach(picture as never) }));
    await settle();
    loads[0]?.fail();
    await settle();
    expect(picture.isClosed).toBe(true);
  });

  it('a command whose part a control call attaches is refused by name and opcode while there is none', async () => {
    const { writer, errors, executed, frame, settle } = setUp();
    const values = { module: 1, command: 1, sequence: 1, kind: 0, data: new Uint8Array(0) };
    frame(() => encodeRecord(writer, table, 'callModule', values));
    await settle();
    expect(errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(ThreadError);
    expect(errors[0]).toMatchObject({
      code: 'render-part-missing',
      message: expect.stringMatching(
        new RegExp(`"callModule" \\(opcode ${renderCommands.opcodes.callModule}\\)`),
      ),
    });
    expect(executed).toEqual(['draw 1']);
  });
});
