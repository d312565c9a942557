import { describe, expect, it } from 'vitest';
import { readEvents } from '../../core/events/event-reader.js';
import { EVENT_NUMBERS, EventRing, TimelineEvent } from '../../core/events/event-ring.js';
import { PageScopes } from './page-scopes.js';

function create() {
  const ring = new EventRing();
  const scopes = new PageScopes(ring);
  /** Returns the type, name, begin, end and value of each event. */
  const events = () => {
    const { events } = readEvents(ring.buffer, null);
    return Array.from({ length: events.length / EVENT_NUMBERS }, (_, index) => {
      const [type, scope, begin, end, extra] = events.subarray(index * EVENT_NUMBERS) as unknown as number[];
      return { kind: TimelineEvent[type!], name: scopes.nameOf(scope!), begin: begin!, end: end!, extra };
    });
  };
  return { scopes, events };
}

describe('PageScopes (R18)', () => {
  it('records nested functions, returns their results, and passes on their errors', () => {
    const { scopes, events } = create();
    const result = scopes.run('outer', () => scopes.run('inner', () => 1) + 1);
    expect(result).toBe(2);
    expect(() =>
      scopes.run('outer', () => {
        throw new Error('a slip');
      }),
    ).toThrow('a slip');
    const [inner, outer, failed] = events();
    expect([inner, outer, failed].map((event) => `${event!.kind} ${event!.name}`)).toEqual([
      'scope inner',
      'scope outer',
      'scope outer',
    ]);
    expect(outer!.begin).toBeLessThanOrEqual(inner!.begin);
    expect(outer!.end).toBeGreaterThanOrEqual(inner!.end);
  });

  it('records a function that returns a promise until the promise has settled', async () => {
    const { scopes, events } = create();
    let resolve = (_: number): void => {};
    const running = scopes.run('load', () => new Promise<number>((done) => (resolve = done)));
    const failing = scopes.run('fail', () => Promise.reject(new Error('a slip')));
    await expect(failing).rejects.toThrow('a slip');
    expect(events().map(({ kind, name }) => `${kind} ${name}`)).toEqual(['span fail']);
    resolve(5);
    expect(await running).toBe(5);
    await Promise.resolve();
    expect(events().map(({ kind, name }) => `${kind} ${name}`)).toEqual(['span fail', 'span load']);
  });

  it('records values, and does not change the thread’s last work', () => {
    const { scopes, events } = create();
    scopes.run('physics', () => scopes.count('enemies', 12));
    const [counter] = events();
    expect(`${counter!.kind} ${counter!.name} ${counter!.extra}`).toBe('counter enemies 12');
    expect(events().at(-1)!.kind).toBe('scope');
  });

  it('keeps only the names of the latest scopes', () => {
    const { scopes, events } = create();
    for (let index = 0; index < 5000; index++) scopes.run(`scope ${index}`, () => {});
    expect(events().at(-1)!.name).toBe('scope 4999');
    expect([scopes.nameOf(1), scopes.nameOf(5000)]).toEqual([null, 'scope 4999']);
    scopes.run('scope 0', () => {});
    expect(events().at(-1)!.name).toBe('scope 0');
  });
});
