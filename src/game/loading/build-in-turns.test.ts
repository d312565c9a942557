import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventTurn } from '../../core/events/event-turn.js';
import { createTestWorld, triangleScene } from '../testing/test-world.js';

const COUNT = 1000;
const transform = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1];
const nodes = Array.from({ length: COUNT }, (_, index) => ({
  ...{ name: `node ${index}`, parent: index === 0 ? -1 : (index - 1) >> 3, transform },
  primitives: [{ geometry: 0, material: 0 }],
}));

/** Makes the page's clock advance by 5 ms at each read. */
function slowClock(): void {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 5;
    return now;
  });
}

afterEach(() => vi.restoreAllMocks());

describe('a file of very many nodes', () => {
  it('builds its actors in tasks of a few milliseconds, and spawns them together', async () => {
    const { world, sendNames } = createTestWorld(() => Promise.resolve(triangleScene({ nodes })));
    slowClock();
    let turns = 0;
    let isLoaded = false;
    const loading = world.load('https://example.org/many.glb').then((level) => {
      isLoaded = true;
      return level;
    });
    for (; !isLoaded; turns++) {
      expect(sendNames().filter((name) => name === 'createPrimitive')).toEqual([]);
      await eventTurn();
    }
    expect(turns).toBeGreaterThan(COUNT / 40);
    const level = await loading;
    expect(level.actors.map(({ name }) => name)).toEqual(nodes.map(({ name }) => name));
    expect(sendNames().filter((name) => name === 'createPrimitive')).toHaveLength(COUNT);
  });

  it('leaves nothing behind if its load is aborted meanwhile', async () => {
    const { world, sendNames } = createTestWorld(() => Promise.resolve(triangleScene({ nodes })));
    slowClock();
    const controller = new AbortController();
    const loading = world.load('https://example.org/many.glb', { signal: controller.signal });
    const ended = loading.catch((error: Error) => error.name);
    for (let turn = 0; turn < 8; turn++) await eventTurn();
    controller.abort();
    expect(await ended).toBe('AbortError');
    await eventTurn();
    expect(world.levels).toHaveLength(1);
    expect(sendNames().filter((name) => name.startsWith('create'))).toEqual([]);
  });
});
