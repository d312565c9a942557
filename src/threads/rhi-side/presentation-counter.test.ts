import { describe, expect, it } from 'vitest';
import { PresentationCounter } from './presentation-counter.js';

describe('PresentationCounter', () => {
  it('counts at most one frame per animation-frame interval, once the frame has completed', () => {
    const pending: (() => void)[] = [];
    const counter = new PresentationCounter((callback) => pending.push(callback));
    counter.frameSubmitted(1);
    counter.frameSubmitted(2);
    expect(counter.presentedFrames).toBe(0);
    counter.frameCompleted(2);
    expect(counter.presentedFrames).toBe(1);
    pending.shift()?.();
    counter.frameSubmitted(3);
    counter.frameCompleted(2);
    expect(counter.presentedFrames).toBe(1);
    counter.frameCompleted(3);
    expect(counter.presentedFrames).toBe(2);
    expect(pending.length).toBe(1);
  });

  it('counts every frame without animation frames', () => {
    const counter = new PresentationCounter(null);
    for (let frame = 1; frame <= 3; frame++) counter.frameSubmitted(frame);
    counter.frameCompleted(3);
    expect(counter.presentedFrames).toBe(3);
  });
});
