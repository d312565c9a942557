import { describe, expect, it } from 'vitest';
import { fireEvent, typedEventTarget } from './typed-event-target.js';

describe('typed event target', () => {
  it('fires an event with its detail, and stops after removal', () => {
    class Thing extends typedEventTarget<{ ready: number; error: Error }>() {}
    const thing = new Thing();
    const seen: number[] = [];
    const listener = (event: CustomEvent<number>) => {
      seen.push(event.detail);
      event.preventDefault();
    };
    thing.addEventListener('ready', listener);
    expect(fireEvent(thing, 'ready', 7)).toBe(false);
    thing.removeEventListener('ready', listener);
    expect(fireEvent(thing, 'ready', 8)).toBe(true);
    expect(seen).toEqual([7]);
  });
});
