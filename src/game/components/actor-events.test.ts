import { describe, expect, it } from 'vitest';
import { type ActorListeners, addActorListener } from './actor-events.js';

describe('addActorListener', () => {
  it('removes the listener when its signal is aborted', () => {
    const all: ActorListeners = new Map();
    const listener = (): void => {};
    const control = new AbortController();
    addActorListener(all, 'click', listener, { signal: control.signal });
    expect(all.get('click')?.has(listener)).toBe(true);
    control.abort();
    expect(all.get('click')?.has(listener)).toBe(false);
  });

  it('keeps a listener that was removed and added again, when the former signal is aborted', () => {
    const all: ActorListeners = new Map();
    const listener = (): void => {};
    const control = new AbortController();
    addActorListener(all, 'click', listener, { signal: control.signal });
    all.get('click')?.delete(listener);
    addActorListener(all, 'click', listener, {});
    control.abort();
    expect(all.get('click')?.has(listener)).toBe(true);
  });
});
