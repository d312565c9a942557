import { describe, expect, it, vi } from 'vitest';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import { RenderOpcode } from '../../proxy/commands.js';
import type { Renderer } from '../../render/renderer.js';
import { ThreadRoles } from '../../rhi/record/thread-guard.js';
import type { MonitoredFence } from '../../sync/fences/monitored-fence.js';
import type { RenderFences } from '../../threads/fences/render-fences.js';
import type { RenderModuleApi } from '../render-module-api.js';
import { decodeData, encodeData, type ModuleNotice } from '../render-module-messages.js';
import { RenderModules } from './render-modules.js';

/** Creates render modules without threads. A list receives their notices, and a real stream carries their commands. */
function setUp(given: { counter?: SharedArrayBuffer; executed?: number } = {}) {
  const notices: ModuleNotice[] = [];
  const port: { onmessage?: (event: { data: unknown }) => void; onmessageerror?: () => void } & Pick<
    MessagePort,
    'close' | 'postMessage'
  > = {
    postMessage: (notice: ModuleNotice) => notices.push(notice),
    close: () => {},
  };
  const { writer, reader } = createLocalStream({ table: renderCommands });
  const roles = new ThreadRoles('main');
  const nodes = { has: (node: number) => node === 1 };
  let setUpModule: (api: RenderModuleApi) => void | Promise<void> = () => {};
  const points = { whenReached: async () => {}, bytesOf: async () => new ArrayBuffer(0), end: vi.fn() };
  /** Values of signals, and whether each signal waits for the end of the command list. */
  const signals: (readonly [number | bigint, boolean])[] = [];
  const signal: RenderFences['signal'] = (_, value, isInList) => signals.push([value, isInList]);
  const modules = new RenderModules(
    { port: port as unknown as MessagePort, counter: given.counter ?? null, executed: given.executed ?? 0 },
    {
      renderer: { scene: { nodes } } as unknown as Renderer,
      points,
      fences: () => ({ signal }) as RenderFences,
      roles,
      surfaceFormat: 'rgba8unorm',
      import: async () => ({ default: (api: RenderModuleApi) => setUpModule(api) }),
    },
  );
  const header = { frame: 7, flags: 0, deltaSeconds: 0.1, timeSeconds: 1 };
  const load = async (setUp: (api: RenderModuleApi) => void | Promise<void>, module = 1): Promise<void> => {
    setUpModule = setUp;
    await modules.load({ module, name: `m${module}`, url: 'm.js', data: null, isRestored: false });
  };
  const send = (sequence: number, command: number, data?: unknown, module = 1): void => {
    const { kind, bytes } = encodeData(data as never);
    const at = writer.reserve(RenderOpcode.callModule, 5 + Math.ceil(bytes.length / 4));
    writer.words.set([module, command, sequence, kind, bytes.length], at);
    new Uint8Array(writer.words.buffer, writer.words.byteOffset + (at + 5) * 4).set(bytes);
    writer.publish();
    while (reader.next()) modules.execute(reader, header);
  };
  const thrown = (): string[] =>
    notices.flatMap((notice) => (notice.kind === 'thrown' ? [notice.error.message] : []));
  return { modules, notices, roles, header, load, send, thrown, points, port, signals };
}

describe('render modules', () => {
  it('report to the page that the browser could not read a message', () => {
    const { port, notices } = setUp();
    port.onmessageerror?.();
    const details = { port: 'render modules, to the render thread' };
    expect(notices).toEqual([
      { kind: 'thrown', error: expect.objectContaining({ code: 'message-lost', details }) },
    ]);
  });

  it('R2: executes each command once by its sequence, and skips commands that another thread has executed', async () => {
    const counter = new SharedArrayBuffer(4);
    const { load, send, notices } = setUp({ counter, executed: 2 });
    const seen: unknown[] = [];
    await load(({ defineCommand }) => defineCommand('note', (data) => seen.push(data)));
    for (const sequence of [1, 2, 3, 3, 4]) send(sequence, 1, sequence);
    expect(seen).toEqual([3, 4]);
    expect(new Int32Array(counter)[0]).toBe(4);
    await Promise.resolve();
    expect(notices.at(-1)).toEqual({ kind: 'executed', sequence: 4 });
  });

  it('R2: without shared memory, a command is announced before it begins', async () => {
    const { load, send, notices } = setUp();
    let announced: unknown;
    await load(({ defineCommand }) =>
      defineCommand('note', () => {
        announced = notices.at(-1);
      }),
    );
    send(1, 1);
    expect(announced).toEqual({ kind: 'executed', sequence: 1 });
  });

  it('R2: a command sent on the render thread is executed at once, in the role of the render thread', async () => {
    const { load, send, roles } = setUp();
    const seen: string[] = [];
    await load(({ defineCommand, send }) => {
      defineCommand('inner', (data) => seen.push(`${data} ${roles.current}`));
      defineCommand('outer', () => {
        seen.push('begin');
        send('inner', 'now');
        seen.push('end');
      });
    });
    send(1, 2);
    expect(seen).toEqual(['begin', 'now render', 'end']);
    expect(roles.current).toBe('main');
  });

  it('R2: errors of a handler, synchronous or not, are reported with module and command; later commands run', async () => {
    const { load, send, thrown } = setUp();
    const seen: string[] = [];
    await load(({ defineCommand }) => {
      defineCommand('now', () => {
        throw new Error('at once');
      });
      defineCommand('later', async () => {
        throw new Error('later on');
      });
      defineCommand('fine', () => seen.push('fine'));
    });
    for (const command of [1, 2, 3]) send(command, command);
    await Promise.resolve();
    await Promise.resolve();
    expect(thrown()).toEqual([
      'The command "now" of the render module "m1" threw: at once.',
      'The command "later" of the render module "m1" threw: later on.',
    ]);
    expect(seen).toEqual(['fine']);
  });

  it('R2: reports a set-up that throws and a command defined twice with typed errors', async () => {
    const { load, notices } = setUp();
    await load(() => {
      throw new Error('no luck');
    });
    expect(notices.at(-1)).toMatchObject({ kind: 'failed', error: { code: 'render-module-failed' } });
    await load(({ defineCommand }) => {
      defineCommand('twice', () => {});
      defineCommand('twice', () => {});
    });
    expect(notices.at(-1)).toMatchObject({ kind: 'failed', error: { code: 'render-command-refused' } });
  });

  it('R8: calls frame callbacks in order of registration across modules, until they are removed or throw', async () => {
    const { modules, load, header, thrown, send } = setUp();
    const seen: string[] = [];
    let end = (): void => {};
    await load(({ onFrame }) => {
      end = onFrame(() => seen.push('a'));
      onFrame(() => {
        seen.push('b');
        throw new Error('tired');
      });
    });
    await load(
      ({ onFrame }) => onFrame(({ deltaSeconds }) => seen.push(`c ${deltaSeconds}`)) && undefined,
      2,
    );
    modules.beginList({ ...header, timeSeconds: 1 });
    end();
    modules.beginList({ ...header, timeSeconds: 1.5 });
    send(1, 0, undefined, 2);
    modules.beginList({ ...header, timeSeconds: 2 });
    expect(seen).toEqual(['a', 'b', 'c 0', 'c 0.5']);
    expect(thrown()).toEqual([
      'A frame callback of the render module "m1" threw: tired. It is not called any more.',
    ]);
  });

  it('R10: only synchronous calls of a module may use the scene; calls of removed modules are rejected; messages name both threads', async () => {
    const { load, send, thrown } = setUp();
    let leaked: RenderModuleApi | undefined;
    const removed = vi.fn();
    await load((api) => {
      leaked = api;
      api.onRemoved(removed);
      api.defineCommand('has', () => api.post(api.scene.has(1)));
    });
    send(1, 1);
    expect(() => leaked?.scene.has(1)).toThrow(/belongs to the thread "render".*on the thread "main"/);
    send(2, 0);
    expect(removed).toHaveBeenCalledOnce();
    expect(() => leaked?.scene.has(1)).toThrow(/was removed/);
    expect(() => leaked?.onFrame(() => {})).toThrow(/onFrame\(\) of the render module "m1"/);
    expect(thrown()).toEqual([]);
  });

  it('F4: a signal waits for the end of the list in a command and a frame callback, but not in set-up', async () => {
    const { modules, load, send, header, signals } = setUp();
    const fence = {} as MonitoredFence;
    await load(({ defineCommand, onFrame, scene, send, signalFence }) => {
      signalFence(fence, 1);
      scene.has(1);
      defineCommand('signal', () => signalFence(fence, 2));
      send('signal');
      onFrame(() => signalFence(fence, 3));
    });
    send(1, 1);
    modules.beginList(header);
    expect(signals).toEqual([
      [1, false],
      [2, true],
      [2, true],
      [3, true],
    ]);
  });

  it('H7: a frame without requests has no read-back, and pending requests reject when the thread ends', async () => {
    const { modules, load, header, points } = setUp();
    let api: RenderModuleApi | undefined;
    await load((given) => {
      api = given;
    });
    const frame = { ...header, readBack: 0 };
    modules.beginList(frame);
    expect(frame.readBack).toBe(0);
    const never = api?.readBack();
    modules.stop();
    await expect(never).rejects.toMatchObject({ code: 'render-thread-ended' });
    expect(points.end).toHaveBeenCalledOnce();
  });

  it('R2: data arrives as it was sent: JSON, buffers, and views of several types', () => {
    const views: (new (buffer: ArrayBuffer, at: number) => ArrayBufferView)[] = [
      Uint8Array,
      Int16Array,
      Uint32Array,
      Float32Array,
      Float64Array,
      BigInt64Array,
      DataView,
    ];
    for (const View of views) {
      const view = new View(new Uint8Array([9, 9, 9, 9, 9, 9, 9, 9, 1, 2, 3, 4, 5, 6, 7, 8]).buffer, 8);
      const decoded = decodeData(encodeData(view)) as Uint8Array;
      expect(decoded).toBeInstanceOf(View);
      expect([...new Uint8Array(decoded.buffer)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    }
    expect(decodeData(encodeData({ a: [1, null, 'ü'] }))).toEqual({ a: [1, null, 'ü'] });
    expect(decodeData(encodeData(undefined))).toBeUndefined();
    expect(decodeData(encodeData(new Uint8Array([1, 2]).buffer))).toEqual(new Uint8Array([1, 2]).buffer);
    expect(() => encodeData(BigInt(1) as never)).toThrow(TypeError);
  });

  it('R2: a module is also ended if its thread stops or its time limit passes during the set-up', async () => {
    for (const isStopped of [true, false]) {
      const { modules, load, notices, port } = setUp();
      const seen: string[] = [];
      let goOn = (): void => {};
      const loading = load(async ({ onRemoved, onFrame }) => {
        onRemoved(() => seen.push('removed'));
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
        onFrame(() => seen.push('frame'));
      });
      await new Promise((resolve) => setImmediate(resolve));
      if (isStopped) modules.stop();
      else port.onmessage?.({ data: { forgotten: 1 } });
      expect(seen).toEqual(['removed']);
      goOn();
      await loading;
      expect([seen, notices]).toEqual([['removed'], []]);
    }
  });

  it('R2: rejects a function as data, and sends an instance of a subclass of Uint8Array as a Uint8Array', () => {
    expect(() => encodeData((() => {}) as never)).toThrow("can't be converted to JSON");
    class Odd extends Uint8Array {}
    expect(decodeData(encodeData(Odd.of(1)))).toEqual(Uint8Array.of(1));
  });
});
