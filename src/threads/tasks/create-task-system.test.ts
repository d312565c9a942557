import { expect, it } from 'vitest';
import { createTaskSystem, divideWorkers, type TaskSystemOptions } from './create-task-system.js';

const refusalOf = (options: object): string => {
  try {
    createTaskSystem(options as TaskSystemOptions);
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code}: ${message}`;
  }
  return 'accepted';
};

it.each([
  [{ worker: 1 }, /^option-unknown: createTaskSystem has no option "worker"\. Did you mean "workers"\?/],
  [{ workers: 65 }, /^option-out-of-range: workers of createTaskSystem is 65; .* from 0 to 64\./],
  [
    { highWorkers: 0.5 },
    /^option-out-of-range: highWorkers of createTaskSystem is 0\.5, .* not a whole number/,
  ],
  [{ backgroundWorkers: '1' }, /^option-out-of-range: backgroundWorkers of createTaskSystem is "1"/],
  [
    { workers: 60, highWorkers: 5 },
    /^option-out-of-range: The options of createTaskSystem request 65 workers/,
  ],
  [{ idleSeconds: 0 }, /^option-out-of-range: idleSeconds .* is 0; .* a number of seconds above 0\./],
  [{ reportSeconds: Number.NaN }, /^option-out-of-range: reportSeconds .* is NaN/],
  [{ workerUrl: 'http://' }, /^option-invalid: workerUrl of createTaskSystem is "http:\/\/"; .* a URL\./],
  [{ onError: 'log' }, /^option-invalid: onError of createTaskSystem is "log"; .* a function\./],
])('rejects %o with an error that names the option', (options, expected) => {
  expect(refusalOf(options)).toMatch(expected);
});

it('T14: an engine divides its workers among the sets', () => {
  const shares = [0, 1, 2, 3, 4, 5, 6, 12, 64].map((workers) => {
    const { high, normal, background } = divideWorkers(workers);
    return [high, normal, background];
  });
  expect(shares).toEqual([
    [0, 0, 0],
    [0, 1, 0],
    [1, 1, 0],
    [1, 2, 0],
    [1, 2, 1],
    [1, 3, 1],
    [1, 3, 2],
    [2, 6, 4],
    [10, 33, 21],
  ]);
});
