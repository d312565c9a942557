/**
 * Odd values that tasks throw, take and return. The waiters receive the values or an error, and other tasks continue.
 */
import { describe, expect, it } from 'vitest';
import { waitFor } from '../../core/testing/wait-for.js';
import { sharedArray } from '../arguments/shared-array.js';
import type { TaskContext } from '../execution/task-context.js';
import { failureOf, thrownBy } from '../task-errors.js';
import { createTestSystem } from '../testing/worker-bench.js';

class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code = 'too-late';
  readonly since = { hour: 9 };
}

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

const thrown: Readonly<Record<string, () => unknown>> = {
  null: () => null,
  undefined: () => undefined,
  text: () => 'text',
  list: () => [1, { two: 2 }],
  frozen: () => Object.freeze(new RangeError('Frozen.')),
  subclass: () => new Refusal('Too late.'),
  cause: () => new Error('Outside.', { cause: new TypeError('Inside.') }),
  aggregate: () => new AggregateError([new RangeError('First.'), new Error('Second.')], 'Two.'),
  symbol: () => Symbol('thrown'),
  function: () => () => {},
  unreadable: () =>
    Object.defineProperty(new Error(), 'message', {
      get() {
        throw new Error('Not to be read.');
      },
    }),
  revoked,
  causeOfAnotherKind: () => new Error('With a function.', { cause: () => {} }),
};

const modules = {
  'test:tasks': {
    default: {
      double: (value: number) => value * 2,
      fail: ({ what }: { what: string }) => {
        throw thrown[what]?.();
      },
      failLater: async ({ what }: { what: string }) => {
        throw thrown[what]?.();
      },
      count: ({ values }: { values: BigInt64Array }, begin: number, end: number) => {
        for (let index = begin; index < end; index++) values[index]! += BigInt(index);
      },
      unsendable: () => () => {},
      cloneBadly: () => structuredClone(() => {}),
      fireText: (_: unknown, _begin: number, _end: number, task: TaskContext) =>
        task.fire('fail', { what: 'text' }),
      fireWrongly: (_: unknown, _begin: number, _end: number, task: TaskContext) =>
        task.fire('double', 1, { set: 'low' as never }),
    },
  },
};

describe('thrown values on another thread', () => {
  const told = (what: string): unknown => thrownBy(structuredClone(failureOf(thrown[what]?.())));

  it('are equal to the original values, as far as these can be cloned', () => {
    for (const what of ['null', 'undefined', 'text', 'list']) expect(told(what)).toEqual(thrown[what]?.());
    const { stack = '' } = told('frozen') as Error;
    expect(told('frozen')).toBeInstanceOf(RangeError);
    expect(stack).toContain('hostile-values.test');
    expect(told('cause')).toMatchObject({ message: 'Outside.', cause: { message: 'Inside.' } });
    expect(told('causeOfAnotherKind')).toMatchObject({ message: 'With a function.' });
  });

  it('keep name and properties of an error whose class the thread does not know', () => {
    const error = told('subclass') as Refusal;
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ message: 'Too late.', code: 'too-late', since: { hour: 9 } });
    expect(error.name).toBe('Refusal');
    expect(Object.keys(error)).not.toContain('name');
    const { errors } = told('aggregate') as AggregateError;
    expect(errors.map(({ message }: Error) => message)).toEqual(['First.', 'Second.']);
  });

  it('become errors with a message if they can’t be cloned or read', () => {
    expect(told('symbol')).toMatchObject({ message: 'Symbol(thrown)' });
    for (const what of ['unreadable', 'revoked'])
      expect(told(what)).toMatchObject({ message: 'The thrown value can’t be read.' });
  });
});

describe.each([
  ['shared memory, 1 worker', 1, true],
  ['copied memory, 1 worker', 1, false],
  ['no worker', 0, true],
  ['no worker, copied memory', 0, false],
] as const)('T9: odd values: %s', (_, workers, isShared) => {
  const create = () => createTestSystem(modules, workers, isShared);

  it('a task that throws any of the odd values rejects, and later tasks run', async () => {
    const { module } = await create();
    for (const what of Object.keys(thrown)) {
      for (const task of ['fail', 'failLater']) {
        const outcome = await module.run(task, { what }).then(
          () => 'done',
          () => 'failed',
        );
        expect([what, outcome]).toEqual([what, 'failed']);
      }
      const dependent = module.run('double', 1, { prerequisites: [module.run('fail', { what })] });
      await expect(dependent).rejects.toMatchObject({ code: 'prerequisite-failed' });
      expect(await module.run('double', 2)).toBe(4);
    }
  });

  it('arguments whose getters throw reject only their own task', async () => {
    const { module } = await create();
    const hostile = {
      get value() {
        throw new Error('Not to be read.');
      },
    };
    await expect(module.run('double', hostile)).rejects.toThrow('Not to be read.');
    await expect(module.run('double', revoked())).rejects.toThrow();
    expect(await module.run('double', 2)).toBe(4);
  });

  it('a DataCloneError that a task throws itself arrives unchanged', async () => {
    const { module } = await create();
    await expect(module.run('cloneBadly')).rejects.toMatchObject({ name: 'DataCloneError' });
    await expect(module.parallelFor('cloneBadly', 3)).rejects.toMatchObject({ name: 'DataCloneError' });
  });

  it('a value other than an error, thrown by a fired task, is reported with the task’s name', async () => {
    const { module, told } = await create();
    module.fire('fail', { what: 'text' });
    await module.run('fireText');
    await waitFor(() => expect(told).toHaveLength(2));
    for (const error of told) {
      expect(error).toMatchObject({ code: 'task-threw', cause: 'text' });
      expect((error as Error).message).toContain('"fail" of test:tasks');
    }
  });

  it('fire rejects invalid options, and hold, because no future could unlock the task', async () => {
    const { module } = await create();
    expect(() => module.fire('double', 1, { set: 'low' as never })).toThrow(/of fire is "low"/);
    expect(() => module.fire('double', 1, { hold: true } as never)).toThrow(/^fire has no option "hold"/);
    await expect(module.run('fireWrongly')).rejects.toThrow(/of task\.fire is "low"/);
  });

  it('futures, events and counters in the arguments are rejected with an error that explains why', async () => {
    const { system, module } = await create();
    const future = module.run('double', 1);
    for (const value of [future, future.share(), system.event('soon'), system.counter(1)]) {
      await expect(module.run('double', { value } as never)).rejects.toMatchObject({
        code: 'task-arguments-refused',
        message: expect.stringContaining('stays on its thread'),
      });
    }
  });

  it('after the end of the system fire, thread and run fail because it was disposed of', async () => {
    const { system, module } = await create();
    await system.dispose();
    expect(() => module.fire('double', 1)).toThrow(/disposed/);
    await expect(system.thread('game')).rejects.toMatchObject({ code: 'tasks-disposed' });
    await expect(module.run('double', 1)).rejects.toMatchObject({ code: 'tasks-disposed' });
  });

  it('changes of shared big integers arrive, and the error of a result that can’t be sent names its task', async () => {
    const { module } = await create();
    const values = sharedArray(BigInt64Array, 50);
    await module.parallelFor('count', 50, { values }, { batch: 7 });
    expect(values.reduce((sum, each) => sum + each, 0n)).toBe(1225n);
    await expect(module.run('unsendable')).rejects.toThrow('the task "unsendable"');
  });
});
