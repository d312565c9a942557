import { expect, it } from 'vitest';
import { disposedError } from '../../core/errors.js';
import { createTestSystem } from '../../tasks/testing/worker-bench.js';
import { engineTasks } from './engine-tasks.js';

const codeOf = (call: () => unknown): string => {
  try {
    call();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'none';
};

it('creates the task system at the first call, and allows only queries after the engine has ended', async () => {
  const { system } = await createTestSystem({ 'test:tasks': { nothing: () => {} } }, 0);
  let isEnded = false;
  let isOpened = false;
  const open = () => {
    if (isEnded) throw disposedError();
    isOpened = true;
    return system;
  };
  const tasks = engineTasks(open, () => (isOpened ? system : null));
  const calls = [
    () => tasks.event('rain'),
    () => tasks.counter(1),
    () => tasks.arenas({ blocks: 1, blockBytes: 64 }),
    () => tasks.onShutdown(() => {}),
    () => tasks.threads(),
  ];
  expect(tasks.stats()).toBeNull();
  isEnded = true;
  expect(calls.map(codeOf)).toEqual(calls.map(() => 'engine-disposed'));
  await expect(tasks.load('test:tasks')).rejects.toMatchObject({ code: 'engine-disposed' });
  isEnded = false;
  expect(calls.map(codeOf)).toEqual(calls.map(() => 'none'));
  expect(tasks.stats()).not.toBeNull();
  // The engine ends its task system: queries still work, but nothing starts.
  isEnded = true;
  await system.dispose();
  expect(calls.map(codeOf)).toEqual(['none', 'tasks-disposed', 'tasks-disposed', 'tasks-disposed', 'none']);
  await expect(tasks.event('rain')).rejects.toMatchObject({ code: 'tasks-disposed' });
  await expect(tasks.load('test:tasks')).rejects.toMatchObject({ code: 'engine-disposed' });
});
