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

it('calls that give no promise say why there is no task system: not loaded, or an engine that has ended', async () => {
  const { system } = await createTestSystem({ 'test:tasks': { nothing: () => {} } }, 0);
  let isEnded = false;
  let isLoaded = false;
  const checkAlive = (): void => {
    if (isEnded) throw disposedError();
  };
  const open = async () => {
    checkAlive();
    isLoaded = true;
    return system;
  };
  const tasks = engineTasks(open, () => (isLoaded ? system : null), checkAlive);
  const calls = [
    () => tasks.event('rain'),
    () => tasks.counter(1),
    () => tasks.arenas({ blocks: 1, blockBytes: 64 }),
    () => tasks.onShutdown(() => {}),
    () => tasks.threads(),
  ];
  expect(calls.map(codeOf)).toEqual(calls.map(() => 'tasks-not-loaded'));
  isEnded = true;
  expect(calls.map(codeOf)).toEqual(calls.map(() => 'engine-disposed'));
  await expect(tasks.load('test:tasks')).rejects.toMatchObject({ code: 'engine-disposed' });
  isEnded = false;
  await tasks.load('test:tasks');
  expect(calls.map(codeOf)).toEqual(calls.map(() => 'none'));
  // The engine ends its task system: what can be known of it is told, and nothing begins.
  isEnded = true;
  await system.dispose();
  expect(calls.map(codeOf)).toEqual(['none', 'tasks-disposed', 'tasks-disposed', 'tasks-disposed', 'none']);
  await expect(tasks.event('rain')).rejects.toMatchObject({ code: 'tasks-disposed' });
});
