import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AssetError, type Engine, type EngineOptions, OptionError } from '../index.js';
import { type EngineMember, SharedEngine } from './shared-engine.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A stand-in for an engine, which records its calls. */
function createEngine({ threading = 'render' }: EngineOptions = {}) {
  const ended = new AbortController();
  const engine = Object.assign(new EventTarget(), {
    threading,
    renderer: 'forward',
    world: { disposed: ended.signal },
    start: vi.fn(),
    stop: vi.fn(),
    setThreading: vi.fn(async (mode: string) => {
      if (mode === 'many') throw new OptionError('option-invalid', 'setThreading is "many".');
      engine.threading = mode as never;
    }),
    dispose: vi.fn(async () => ended.abort()),
    fail: (error: unknown) => engine.dispatchEvent(new CustomEvent('error', { detail: error })),
  });
  return engine;
}

type FakeEngine = ReturnType<typeof createEngine>;

function createShared() {
  const engines: FakeEngine[] = [];
  const shared = new SharedEngine(async (options) => {
    const engine = createEngine(options);
    engines.push(engine);
    return engine as unknown as Engine;
  });
  return { shared, engines };
}

const createMember = (fileName: string | null = null) =>
  ({ fileName, report: vi.fn() }) satisfies EngineMember;

it('creates one engine for a hundred elements, and ends it ten seconds after the last has left', async () => {
  const { shared, engines } = createShared();
  const members = Array.from({ length: 100 }, () => createMember());
  const joined = await Promise.all(members.map((member) => shared.join(member, {})));
  expect(new Set(joined).size).toBe(1);
  expect(engines).toHaveLength(1);
  for (const member of members) shared.leave(member);
  vi.advanceTimersByTime(9000);
  expect(engines[0]?.dispose).not.toHaveBeenCalled();
  expect(await shared.join(members[0] as EngineMember, {})).toBe(joined[0]);
  vi.advanceTimersByTime(60_000);
  expect(engines[0]?.dispose).not.toHaveBeenCalled();
  shared.leave(members[0] as EngineMember);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(engines[0]?.dispose).toHaveBeenCalledOnce();
  await shared.join(createMember(), {});
  expect(engines).toHaveLength(2);
});

it('tries again after a failed start, and replaces an engine that the page has disposed of', async () => {
  const failing = vi.fn().mockRejectedValueOnce(new Error('no adapter'));
  const shared = new SharedEngine(failing);
  const first = createMember();
  await expect(shared.join(first, {})).rejects.toThrow('no adapter');
  const engine = createEngine();
  failing.mockResolvedValueOnce(engine);
  expect(await shared.join(first, {})).toBe(engine);
  await engine.dispose();
  const next = createEngine();
  failing.mockResolvedValueOnce(next);
  expect(await shared.join(createMember(), {})).toBe(next);
  shared.setMoving(first, true);
  expect(next.start).toHaveBeenCalledOnce();
});

it('runs the engine while any model moves', async () => {
  const { shared, engines } = createShared();
  const [first, second] = [createMember(), createMember()];
  await Promise.all([shared.join(first, {}), shared.join(second, {})]);
  const engine = engines[0] as FakeEngine;
  shared.setMoving(first, true);
  shared.setMoving(second, true);
  shared.setMoving(first, false);
  expect([engine.start.mock.calls.length, engine.stop.mock.calls.length]).toEqual([1, 0]);
  shared.leave(second);
  expect(engine.stop).toHaveBeenCalledOnce();
});

it('uses the latest value of a setting, then the one before it, then the default', async () => {
  const { shared, engines } = createShared();
  const [first, second] = [createMember(), createMember()];
  await Promise.all([shared.join(first, { threading: 'single' }), shared.join(second, {})]);
  const engine = engines[0] as FakeEngine;
  await shared.choose(first, 'threading', 'single');
  await shared.choose(second, 'threading', null);
  expect(engine.setThreading).not.toHaveBeenCalled();
  await shared.choose(second, 'threading', 'render+rhi');
  expect(engine.threading).toBe('render+rhi');
  await expect(shared.choose(second, 'threading', 'many' as never)).rejects.toThrow('many');
  await shared.choose(second, 'threading', null);
  expect(engine.threading).toBe('single');
  await shared.choose(first, 'threading', null);
  expect(engine.threading).toBe('render');
  await shared.choose(first, 'renderer', 'deferred');
  expect(engine.renderer).toBe('deferred');
});

it('reports an error to the element whose file it names, and other errors to all elements', async () => {
  const { shared, engines } = createShared();
  const [lamp, chair] = [createMember('lamp.glb'), createMember('chair.glb')];
  await Promise.all([shared.join(lamp, {}), shared.join(chair, {})]);
  const ofLamp = new AssetError('image-invalid', '"lamp.glb", images[0]: It is no image.');
  engines[0]?.fail(ofLamp);
  expect(lamp.report).toHaveBeenCalledWith(ofLamp);
  expect(chair.report).not.toHaveBeenCalled();
  const ofAll = new OptionError('device-lost', 'The device was lost.');
  engines[0]?.fail(ofAll);
  for (const { report } of [lamp, chair]) expect(report).toHaveBeenLastCalledWith(ofAll);
});
