import { afterEach, describe, expect, it } from 'vitest';
import { RhiError } from '../../core/errors.js';
import { EventRing } from '../../core/events/event-ring.js';
import { encodeRecord } from '../../core/records/record-codec.js';
import {
  connectStreamReader,
  connectStreamWriter,
  createLocalStream,
} from '../../core/streams/page-stream.js';
import type { StreamReader, StreamWriter } from '../../core/streams/stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import { NO_ID, RenderFrameFlag } from '../../proxy/commands.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';
import { FRAME_STAT_COUNT, FrameStat, MemoryPeak, MemoryStat, readStats } from '../control/frame-stats.js';
import { RenderThread } from './render-thread.js';
import type { WorldFeature } from './world-feature.js';

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

const carriers = ['local', 'transfer', 'shared'] as const;

function createStream(carrier: (typeof carriers)[number]): { writer: StreamWriter; reader: StreamReader } {
  const table = renderCommands;
  if (carrier === 'local') return createLocalStream({ table });
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  const shared = carrier === 'shared';
  return {
    writer: connectStreamWriter(port1, { shared, table }),
    reader: connectStreamReader(port2, { shared, table }),
  };
}

/** Creates a render thread whose renderer logs its calls, and a feature `modules` that logs its own. */
function setUp(carrier: (typeof carriers)[number] = 'local') {
  const { writer, reader } = createStream(carrier);
  const executed: string[] = [];
  const errors: unknown[] = [];
  /** Errors that the renderer throws, by number of the created node. */
  const faults = new Map<number, Error>();
  /** Called by deletes at rest. */
  const deletes = { record: (): void => {} };
  const rendered = new PrivateFence('rendered');
  const completed = new PrivateFence('completed');
  const stats = { primitives: 0, visible: 0 };
  const figures = new Float64Array(FRAME_STAT_COUNT);
  const features: { captures?: { readonly isPending: boolean; record(frame: number): void } } = {};
  const thread = new RenderThread({
    reader,
    rhiWriter: { isWritable: true, bytesWritten: 0, pageBytes: 0 } as never,
    rhi: { beginFrame: () => {}, endFrame: () => {}, publish: () => {} } as never,
    renderer: {
      world: { features: {}, drawn: ['a view'] },
      features,
      execute: (from: StreamReader) => {
        const node = from.words[from.fields] as number;
        const fault = faults.get(node);
        if (fault) throw fault;
        executed.push(`node ${node}`);
      },
      renderFrame: ({ frame }: { frame: number }) => executed.push(`draw ${frame}`),
      recordDeletes: () => deletes.record(),
      mustNotSkip: false,
      hasDeletes: true,
      frameMemory: { byteLength: 32 },
      stats,
    } as never,
    maxFramesInFlight: 2,
    rendered,
    completed,
    stats: figures,
    events: new EventRing(),
    onError: (error) => errors.push(error),
    onFrame: () => {},
  });
  const modules: WorldFeature = {
    execute: (from, { frame }) => void executed.push(`module ${from.words[from.fields]} in ${frame}`),
    beginFrame: ({ frame }) => void executed.push(`modules begin ${frame}`),
    stop: () => void executed.push('modules stop'),
  };
  const createNode = (node: number): void => {
    encodeRecord(writer, renderCommands, 'createNode', { node, parent: NO_ID });
  };
  const callModule = (module: number): void => {
    const values = { module, command: 1, sequence: 1, kind: 0, data: new Uint8Array(0) };
    encodeRecord(writer, renderCommands, 'callModule', values);
  };
  let last = 0;
  const frame = (write: () => void, flags = 0): void => {
    const number = ++last;
    encodeRecord(writer, renderCommands, 'beginFrame', {
      frame: number,
      flags,
      deltaSeconds: 0,
      timeSeconds: 0,
    });
    write();
    encodeRecord(writer, renderCommands, 'endFrame', { frame: number });
    writer.publish();
  };
  return {
    thread,
    figures,
    counts: stats,
    features,
    modules,
    writer,
    reader,
    executed,
    errors,
    faults,
    deletes,
    rendered,
    completed,
    frame,
    createNode,
    callModule,
  };
}

describe('RenderThread', () => {
  it('M5 M8: the statistics contain the size of frame memory, and the size and peak of the loops’ memory', async () => {
    const { thread, figures, rendered, frame } = setUp();
    const bytes: unknown[] = [];
    for (const [number, byteLength] of [0, 96, 48].entries()) {
      thread.loopMemories = byteLength ? { byteLength } : null;
      frame(() => {});
      await rendered.whenReached(number + 1);
      const { frameArrays, loops } = readStats(figures, MemoryStat);
      bytes.push([frameArrays, loops, readStats(figures, MemoryPeak).loops]);
    }
    expect(bytes).toEqual([
      [32, 0, 0],
      [32, 96, 96],
      [32, 48, 96],
    ]);
  });

  it.each(carriers)(
    'executes each command once, in order, and draws after each frame (%s stream)',
    async (carrier) => {
      const { thread, modules, executed, errors, rendered, frame, createNode, callModule } = setUp(carrier);
      thread.features.attach('modules', modules);
      for (const number of [1, 2, 3])
        frame(() => {
          createNode(number);
          callModule(number);
          createNode(number + 10);
          callModule(number + 10);
        });
      await rendered.whenReached(3);
      expect(executed).toEqual(
        [1, 2, 3].flatMap((number) => [
          `node ${number}`,
          `module ${number} in ${number}`,
          `node ${number + 10}`,
          `module ${number + 10} in ${number}`,
          `modules begin ${number}`,
          `draw ${number}`,
        ]),
      );
      expect(errors).toEqual([]);
    },
  );

  it('R11: records further lists for captures, within the gate, before the frame counts as rendered', async () => {
    const { features, completed, executed, rendered, frame, createNode } = setUp();
    let samples = 0;
    features.captures = {
      get isPending() {
        return samples > 0;
      },
      record: (number) => {
        samples--;
        executed.push(`sample of ${number}`);
      },
    };
    frame(() => {
      createNode(1);
      samples = 5;
    });
    frame(() => createNode(2));
    const begun = ['node 1', 'draw 1', ...Array(3).fill('sample of 1')];
    await new Promise((resolve) => setTimeout(resolve));
    expect([executed, rendered.value]).toEqual([begun, 0]);
    completed.signal(1);
    await new Promise((resolve) => setTimeout(resolve));
    expect(executed).toHaveLength(6);
    completed.signal(4);
    await rendered.whenReached(2);
    expect(executed).toEqual([...begun, 'sample of 1', 'sample of 1', 'node 2', 'draw 2']);
  });

  it('R11: lists of captures leave the statistics of the frame as they are', async () => {
    const { features, figures, counts, rendered, frame } = setUp();
    let samples = 0;
    features.captures = {
      get isPending() {
        return samples > 0;
      },
      record: () => {
        samples--;
        counts.visible = 9;
      },
    };
    counts.visible = 3;
    frame(() => {
      samples = 2;
    });
    await rendered.whenReached(1);
    expect([samples, figures[FrameStat.visible]]).toEqual([0, 3]);
  });

  it('reports a rejected command, and continues the frame', async () => {
    const { executed, errors, faults, rendered, frame, createNode, callModule } = setUp();
    const fault = new RhiError('limit-exceeded', 'There are too many.');
    faults.set(2, fault);
    frame(() => {
      createNode(1);
      createNode(2);
      // Rejected, because no modules are attached.
      callModule(3);
      createNode(4);
    });
    await rendered.whenReached(1);
    expect(executed).toEqual(['node 1', 'node 4', 'draw 1']);
    expect(errors).toEqual([fault, expect.objectContaining({ code: 'render-module-missing' })]);
  });

  it('ends when a command throws an error that is not a FencepostError, and fails its fence and its stream', async () => {
    const { thread, modules, writer, executed, errors, faults, rendered, frame, createNode } = setUp();
    thread.features.attach('modules', modules);
    faults.set(2, new TypeError('scene is undefined'));
    let closed: unknown;
    writer.onFail = (error) => {
      closed = error;
    };
    frame(() => createNode(1));
    frame(() => createNode(2));
    await expect(rendered.whenReached(2)).rejects.toMatchObject({
      name: 'FencepostError',
      code: 'internal',
      message: 'TypeError: scene is undefined',
    });
    expect(closed).toBe(rendered.error);
    expect(executed).toEqual(['node 1', 'modules begin 1', 'draw 1', 'modules stop']);
    expect(errors).toEqual([]);
  });

  it('records deletes at rest, also after a frame of a running engine that waits for pipelines, but not after a step', async () => {
    const { deletes, rendered, completed, frame, createNode } = setUp();
    let frameNumber = 0;
    const recorded: number[] = [];
    deletes.record = () => recorded.push(frameNumber);
    const { step, running } = RenderFrameFlag;
    for (const flags of [0, step, step | running]) {
      frameNumber++;
      frame(() => createNode(frameNumber), flags);
      await rendered.whenReached(frameNumber);
      completed.signal(frameNumber);
      for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(recorded).toEqual([1, 3]);
  });

  it('ends when deletes at rest throw', async () => {
    const { deletes, rendered, completed, frame, createNode } = setUp();
    deletes.record = () => {
      throw new TypeError('pool is undefined');
    };
    frame(() => createNode(1));
    await rendered.whenReached(1);
    completed.signal(1);
    await expect(rendered.whenReached(2)).rejects.toMatchObject({ message: 'TypeError: pool is undefined' });
  });

  it('executes nothing more once it is stopped', async () => {
    const { thread, modules, executed, rendered, frame, createNode } = setUp();
    thread.features.attach('modules', modules);
    frame(() => createNode(1));
    await rendered.whenReached(1);
    frame(() => createNode(2)); // The frame is in flight.
    thread.stop();
    thread.pump();
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(executed).toEqual(['node 1', 'modules begin 1', 'draw 1', 'modules stop']);
  });
});
