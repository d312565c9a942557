import { describe, expect, it } from 'vitest';
import { chromeTrace } from './chrome-trace.js';
import { FrameTrace } from './frame-trace.js';

describe('FrameTrace', () => {
  it('records nothing while it is off', () => {
    const trace = new FrameTrace('game');
    trace.add(1, 0, 1);
    trace.start();
    expect(trace.stop().spans.length).toBe(0);
  });

  it('keeps the newest spans, oldest first, when the ring wraps', () => {
    const trace = new FrameTrace('render');
    trace.start();
    for (let frame = 1; frame <= 4100; frame++) trace.add(frame, frame, frame + 0.5);
    const { spans } = trace.stop();
    expect(spans.length).toBe(4096 * 3);
    expect(spans[0]).toBe(5);
    expect(spans[3]).toBe(6);
    expect(spans.at(-3)).toBe(4100);
  });

  it('becomes Chrome trace events with one named lane per thread and a common origin', () => {
    const origin = performance.timeOrigin;
    const { traceEvents } = chromeTrace([
      { lane: 'game', spans: Float64Array.of(2, origin + 10, origin + 12) },
      { lane: 'render', spans: Float64Array.of(1, origin + 9, origin + 11.5) },
    ]);
    const lanes = traceEvents.filter((event) => event.name === 'thread_name').map((event) => event.args.name);
    expect(lanes).toEqual(['game', 'render']);
    const spans = traceEvents.filter((event) => event.ph === 'X');
    expect(spans.map((event) => event.name)).toEqual(['game 2', 'render 1']);
    expect(spans[0]?.ts).toBeCloseTo(1000, 0);
    expect(spans[1]?.ts).toBe(0);
    expect(spans[1]?.dur).toBeCloseTo(2500, 0);
  });
});
