/** After the end of a task system, calls that would begin something fail with the same typed error. */
import { describe, expect, it } from 'vitest';
import { FILL } from '../../core/memory/tagged-arenas.js';
import { sharedArray } from '../arguments/shared-array.js';
import { createTestSystem } from '../testing/worker-bench.js';

const modules = {
  'test:tasks': { double: (value: number) => value * 2, never: () => new Promise(() => {}) },
};

describe.each([
  ['shared memory', 1, true],
  ['copied memory', 1, false],
  ['no worker', 0, true],
] as const)('T8: after the end: %s', (_, workers, isShared) => {
  const end = async () => {
    const made = await createTestSystem(modules, workers, isShared);
    await made.module.run('double', 1);
    return made;
  };
  const ended = { name: 'StateError', code: 'tasks-disposed' };

  it('every call that would begin something fails', async () => {
    const { system, module } = await end();
    await system.dispose();
    for (const late of [
      () => system.counter(1),
      () => system.arenas({ blocks: 1, blockBytes: 64 }),
      () => system.onShutdown(() => {}),
      () => module.fire('double', 1),
    ]) {
      expect(late).toThrow(expect.objectContaining(ended));
    }
    const loop = module.parallelFor('double', 3, 1, { preWork: () => expect.fail('It has begun.') });
    for (const late of [
      system.load('test:tasks'),
      system.thread('game'),
      system.createThread('test:tasks'),
      system.event('late'),
      module.run('double', 1),
      module.run('double', 1, { hold: true }),
      loop,
    ]) {
      await expect(late).rejects.toMatchObject(ended);
    }
    // Calls that only read or clear still work.
    const array = sharedArray(Int32Array, 1);
    system.clearPoison(array);
    expect(system.isPoisoned(array)).toBe(false);
    expect(system.threads().map(({ kind }) => kind)).toEqual(['page']);
    expect(system.stats()).toMatchObject({ workers: 0, pending: 0, done: 1, cancelled: 3 });
  });

  it('remaining futures and events are settled, and can’t be changed or held', async () => {
    const { system, module } = await end();
    const [queued, held] = [module.run('never'), module.run('double', 1, { hold: true })];
    const [event, counter] = [system.event('left'), system.counter(1)];
    // Tasks that wait for other tasks get the same error, not the failure of a prerequisite.
    const behind = module.run('double', 1, {
      prerequisites: [queued, event],
      triggers: [system.event('last')],
    });
    const late = system.event('late');
    const first = module.run('double', 1, { hold: true });
    first.addPrerequisite(module.run('double', 1, { prerequisites: [late] }));
    const reached = counter.whenReached(0);
    const caught = expect(reached).rejects.toMatchObject(ended);
    await system.dispose();
    for (const each of [queued, held, event, behind, late, first]) {
      await expect(each).rejects.toMatchObject(ended);
      expect([each.state, each.cancel()]).toEqual(['cancelled', false]);
    }
    await caught;
    expect(event.trigger()).toBe(false);
    for (const late of [() => held.unlock(), () => held.addPrerequisite(event)])
      expect(late).toThrow(/"double" of test:tasks can't be .*: it is cancelled already\./);
    expect(() => queued.doNotCompleteUntil(event)).toThrow(/is cancelled: only a running task/);
    await expect(module.run('double', 1)).rejects.toMatchObject(ended);
  });
});

it('M5: development builds fill freed arenas by default', async () => {
  const { system } = await createTestSystem(modules, 0);
  const freedOf = (): number => {
    const arenas = system.arenas({ blocks: 1, blockBytes: 64 });
    const view = arenas.allocate(7, 8).fill(1);
    arenas.freeTag(7);
    return view[0] as number;
  };
  expect(freedOf()).toBe(1);
  globalThis.FENCEPOST_DEVELOPMENT = true;
  try {
    expect(freedOf()).toBe(FILL);
  } finally {
    globalThis.FENCEPOST_DEVELOPMENT = undefined;
  }
  expect(system.stats().memory).toMatchObject({ arenas: 0, arenasPeak: 128 });
});

it('onShutdown rejects an invalid callback at once, not at the end', async () => {
  const { system, told } = await createTestSystem(modules, 0);
  expect(() => system.onShutdown(5 as never)).toThrow(
    expect.objectContaining({ name: 'OptionError', code: 'option-invalid' }),
  );
  await system.dispose();
  expect(told).toEqual([]);
});

it('M5: arenas of invalid sizes are refused', async () => {
  const { system } = await createTestSystem(modules, 0, true);
  for (const options of [{ blockBytes: 8 }, { blockBytes: 20 }, { blocks: 0 }, { blocks: 5000 }]) {
    expect(() => system.arenas(options)).toThrow(expect.objectContaining({ code: 'option-out-of-range' }));
  }
  await system.dispose();
});
