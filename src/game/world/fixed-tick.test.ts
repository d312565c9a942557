import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addFixedTick, type FixedTickOptions } from './fixed-tick.js';
import { TickGroups } from './tick-groups.js';

function bench(options: FixedTickOptions = {}) {
  const errors: string[] = [];
  const ticks = new TickGroups((error) => errors.push((error as { code: string }).code));
  const calls: [step: number, time: number][] = [];
  const end = addFixedTick(ticks, (step, time) => calls.push([step, time]), options);
  return { ticks, calls, errors, end };
}

describe('G1 fixed steps', () => {
  it('are as many as fit into the time of all frames, for any division into frames', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 }), (milliseconds) => {
        const { ticks, calls } = bench({ hertz: 50, maximumSteps: 100 });
        for (const each of milliseconds) ticks.run(each / 1000, 0);
        const total = milliseconds.reduce((sum, each) => sum + each, 0);
        expect(calls).toHaveLength(Math.floor(total / 20));
        calls.forEach(([step, time], index) => {
          expect(step).toBe(0.02);
          expect(time).toBeCloseTo((index + 1) * 0.02, 9);
        });
      }),
    );
  });

  it('run 60 times a second by default, once per frame of 1/60 s', () => {
    const { ticks, calls } = bench();
    for (let frame = 1; frame <= 600; frame++) {
      ticks.run(1 / 60, 0);
      expect(calls).toHaveLength(frame);
    }
  });

  it('are limited to maximumSteps per frame, and skip the remaining steps', () => {
    const { ticks, calls } = bench({ hertz: 10, maximumSteps: 3 });
    ticks.run(1.05, 0);
    expect(calls.map(([, time]) => time)).toEqual([0.1, 0.2, 0.3].map((time) => expect.closeTo(time)));
    ticks.run(0.05, 0);
    expect(calls).toHaveLength(4);
    expect(calls[3]![1]).toBeCloseTo(0.4);
    ticks.run(0.09, 0);
    expect(calls).toHaveLength(4);
  });

  it('run in the group physics, can end within a frame, and their errors affect no other callback', () => {
    const { ticks, errors } = bench();
    const order: string[] = [];
    ticks.add(() => order.push('post'), 'post-physics');
    ticks.add(() => order.push('pre'), 'pre-physics');
    const end = addFixedTick(
      ticks,
      () => {
        order.push('step');
        end();
      },
      {},
    );
    const broken = addFixedTick(
      ticks,
      () => {
        order.push('broken');
        throw new Error('broken');
      },
      { maximumSteps: 2 },
    );
    ticks.run(3 / 60, 0);
    expect(order).toEqual(['pre', 'step', 'broken', 'post']);
    expect(errors).toEqual(['tick-failed']);
    broken();
    order.length = 0;
    ticks.run(1 / 60, 0);
    expect(order).toEqual(['pre', 'post']);
  });

  it('reject invalid options', () => {
    const codeOf = (options: unknown, callback: unknown = () => {}): string => {
      try {
        addFixedTick(new TickGroups(() => {}), callback as () => void, options as FixedTickOptions);
        return 'none';
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect(codeOf({ hertz: 0 })).toBe('option-out-of-range');
    expect(codeOf({ hertz: Number.NaN })).toBe('option-out-of-range');
    expect(codeOf({ maximumSteps: 0 })).toBe('option-out-of-range');
    expect(codeOf({ maximumSteps: 1.5 })).toBe('option-out-of-range');
    expect(codeOf({ rate: 60 })).toBe('option-unknown');
    expect(codeOf({}, null)).toBe('option-invalid');
  });
});
