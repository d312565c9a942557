import { describe, expect, it } from 'vitest';
import { ManualClock } from './testing/manual-clock.js';
import { Watchdog } from './watchdog.js';

function create(isExpected?: () => boolean) {
  const clock = new ManualClock();
  const reports: string[] = [];
  const watchdog = new Watchdog({
    clock,
    isExpected,
    onSilent: (milliseconds) => reports.push(`silent ${milliseconds}`),
    onHang: (milliseconds) => reports.push(`hang ${milliseconds}`),
  });
  return { clock, reports, watchdog };
}

describe('R9 watchdog', () => {
  it('reports after 1 s of silence and a hang after 5 s, once each', () => {
    const { clock, reports } = create();
    clock.advance(999);
    expect(reports).toEqual([]);
    clock.advance(1);
    expect(reports).toEqual(['silent 1000']);
    clock.advance(3999);
    expect(reports).toHaveLength(1);
    clock.advance(1);
    expect(reports).toEqual(['silent 1000', 'hang 5000']);
    clock.advance(20000);
    expect(reports).toHaveLength(2);
  });

  it('a life sign starts the count anew', () => {
    const { clock, reports, watchdog } = create();
    for (let index = 0; index < 20; index++) {
      clock.advance(900);
      watchdog.heard();
    }
    expect(reports).toEqual([]);
    clock.advance(1000);
    watchdog.heard();
    clock.advance(1000);
    expect(reports).toEqual(['silent 1000', 'silent 1000']);
  });

  it('does not count time in which the observer itself was blocked', () => {
    const { clock, reports, watchdog } = create();
    clock.advance(500);
    clock.block(60000);
    clock.advance(0); // the overdue tick: one tick, whatever the clock says
    expect(reports).toEqual([]);
    watchdog.heard(); // the messages that were queued meanwhile
    clock.advance(999);
    expect(reports).toEqual([]);
  });

  it('forgets silence while no life sign is due, and stops', () => {
    let isVisible = true;
    const { clock, reports, watchdog } = create(() => isVisible);
    clock.advance(750);
    isVisible = false;
    clock.advance(30000);
    isVisible = true;
    clock.advance(750);
    expect(reports).toEqual([]);
    watchdog.stop();
    clock.advance(30000);
    expect(reports).toEqual([]);
  });
});
