import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RenderConnection } from '../../threads/connections/connection.js';
import { RenderHelpers } from './render-helpers.js';

const workers: { isTerminated: boolean }[] = [];
const living = () => workers.filter(({ isTerminated }) => !isTerminated).length;

beforeEach(() => {
  workers.length = 0;
  vi.stubGlobal('crossOriginIsolated', true);
  vi.stubGlobal(
    'Worker',
    class {
      isTerminated = false;
      postMessage = () => {};
      constructor() {
        workers.push(this);
      }
      terminate() {
        this.isTerminated = true;
      }
    },
  );
});

afterEach(() => vi.unstubAllGlobals());

function setUp() {
  const errors: unknown[] = [];
  const options = { taskWorkers: 2, locate: () => 'https://example.org/task-worker.js' };
  const helpers = new RenderHelpers(
    () => options as never,
    (error) => errors.push(error),
  );
  const connection = (connectHelpers: () => Promise<void>) =>
    ({ control: { connectHelpers } }) as unknown as RenderConnection;
  return { helpers, connection };
}

describe('RenderHelpers', () => {
  it('replaces the helpers of the previous render thread', async () => {
    const { helpers, connection } = setUp();
    await helpers.moveTo(connection(async () => {}));
    await helpers.moveTo(connection(async () => {}));
    expect([workers.length, living()]).toEqual([4, 2]);
    expect(Object.keys(helpers.rings)).toEqual(['helper 1', 'helper 2']);
  });

  it('starts no worker once it is disposed of', async () => {
    const { helpers, connection } = setUp();
    await helpers.moveTo(connection(async () => {}));
    helpers.dispose();
    await helpers.moveTo(connection(async () => {}));
    expect([workers.length, living()]).toEqual([2, 0]);
  });

  it('rejects with the error of the render thread, unless a later move has begun', async () => {
    const { helpers, connection } = setUp();
    const ended = new Error('ended');
    let end = (_: Error): void => {};
    const first = helpers.moveTo(
      connection(
        () =>
          new Promise((_, reject) => {
            end = reject;
          }),
      ),
    );
    await helpers.moveTo(connection(async () => {}));
    end(ended);
    await expect(first).resolves.toBeUndefined();
    await expect(helpers.moveTo(connection(() => Promise.reject(ended)))).rejects.toBe(ended);
  });
});
