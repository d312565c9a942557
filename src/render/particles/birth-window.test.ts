import { describe, expect, it } from 'vitest';
import { EmissionLog } from '../../proxy/emission-log.js';
import { BirthWindow } from './birth-window.js';

/** Returns the number and the birth tick of each particle that may still be alive. */
function living(window: BirthWindow): [number, number][] {
  const all: [number, number][] = [];
  for (let birth = window.first; birth < window.next; birth++) {
    all.push([birth, window.ticks[birth % window.ticks.length] as number]);
  }
  return all;
}

describe('the window of births', () => {
  it('is the same in any number of frames, and on threads that begin later', () => {
    const log = new EmissionLog();
    const changes = [
      [0, 7.3, 0],
      [0.9, 20, 5],
      [0.9, 20, 2],
      [1.7, 0, 0],
      [2.2, 3, 40],
      [3.5, 20, 0],
    ] as const;
    const fine = new BirthWindow(64);
    let next = 0;
    for (let frame = 0; frame <= 400; frame++) {
      const seconds = frame / 100;
      for (; next < changes.length && changes[next]![0] <= seconds; next++) {
        const [start, rate, burst] = changes[next]!;
        fine.add(log.begin(start, rate, burst, 1.5));
      }
      fine.update(seconds, 1.5);
    }
    const late = new BirthWindow(64);
    for (const entry of log.entries) late.add(entry);
    late.update(4, 1.5);
    expect(living(late)).toEqual(living(fine));
    expect(late.newborn).toBe(late.count);
    expect(fine.count).toBeGreaterThan(10);
    // The log drops emissions whose particles have all died.
    expect(log.entries.length).toBeLessThan(changes.length);
  });

  it('keeps the newest particles if there are more than slots', () => {
    const window = new BirthWindow(8);
    window.add({ start: 0, births: 0, fraction: 0, rate: 10, burst: 3 });
    window.update(0.5, 100);
    expect([window.first, window.next, window.newborn]).toEqual([0, 8, 8]);
    window.update(1, 100);
    expect([window.first, window.next, window.newborn]).toEqual([5, 13, 5]);
    window.update(1000, 2);
    expect([window.next, window.count]).toEqual([10003, 8]);
    window.update(1000, 2);
    expect(window.newborn).toBe(0);
  });

  it('bears nothing while time stands still or goes back', () => {
    const window = new BirthWindow(8);
    window.add({ start: 5, births: 0, fraction: 0, rate: 10, burst: 0 });
    window.update(5.25, 100);
    expect(window.count).toBe(2);
    window.update(5.2, 100);
    expect([window.count, window.newborn]).toEqual([2, 0]);
  });
});
