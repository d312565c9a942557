import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FencepostError } from '../../core/errors.js';
import { EngineEventTarget } from './engine-events.js';

class Target extends EngineEventTarget {
  fail(code: string): void {
    this.emit('error', new FencepostError(code, 'It failed.'));
  }
  resize(): void {
    this.emit('resize', { width: 1, height: 1 });
  }
}

describe('engine events', () => {
  const written = vi.fn();

  beforeEach(() => {
    written.mockReset();
    vi.stubGlobal('console', { ...console, error: written });
  });

  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it('writes an error to the console only if no listener was called', () => {
    const target = new Target();
    target.fail('first');
    expect(written).toHaveBeenCalledOnce();
    const heard: string[] = [];
    target.addEventListener('error', ({ detail }) => heard.push(detail.code));
    target.fail('second');
    expect(heard).toEqual(['second']);
    expect(written).toHaveBeenCalledOnce();
  });

  it('writes again after the listener was removed, called with `once`, or ended by its signal', () => {
    const target = new Target();
    const listener = vi.fn();
    target.addEventListener('error', listener);
    target.addEventListener('error', listener); // the second call is ignored, as with every EventTarget
    target.removeEventListener('error', listener);
    target.fail('removed');
    expect(written).toHaveBeenCalledTimes(1);

    target.addEventListener('error', listener, { once: true });
    target.fail('heard');
    expect(written).toHaveBeenCalledTimes(1);
    target.fail('once');
    expect(written).toHaveBeenCalledTimes(2);

    const controller = new AbortController();
    target.addEventListener('error', listener, { signal: controller.signal });
    controller.abort();
    target.fail('aborted');
    expect(written).toHaveBeenCalledTimes(3);
    expect(listener).toHaveBeenCalledOnce();
  });

  it('ignores listeners of other events and null, and calls objects with handleEvent', () => {
    const target = new Target();
    target.addEventListener('resize', () => {});
    target.resize();
    target.fail('unheard');
    expect(written).toHaveBeenCalledOnce();
    const object = { handleEvent: vi.fn() };
    target.addEventListener('error', null as never);
    target.addEventListener('error', object as never);
    target.fail('heard');
    expect(object.handleEvent).toHaveBeenCalledOnce();
  });
});
