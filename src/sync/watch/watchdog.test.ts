import { describe, expect, it } from 'vitest';
import { ManualClock } from '../testing/manual-clock.js';
import { type Silence, Watchdog } from './watchdog.js';

function create(isExpected?: () => boolean, processorShare?: () => number) {
  const clock = new ManualClock();
  const reports: string[] = [];
  const silences: Silence[] = [];
  const note = (what: string) => (silence: Silence) => {
    reports.push(`${what} ${silence.counted}`);
    silences.push(silence);
  };
  const watchdog = new Watchdog({
    clock,
    isExpected,
    processorShare,
    onSilent: note('silent'),
    onHang: note('hang'),
  });
  return { clock, reports, silences, watchdog };
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

  it('a life sign restarts the count', () => {
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
    clock.advance(0); // the overdue tick counts as one tick, whatever the clock says
    expect(reports).toEqual([]);
    watchdog.heard(); // a message that was queued during the block
    clock.advance(999);
    expect(reports).toEqual([]);
  });

  it('resets the silence while no life sign is due; stop ends the watch', () => {
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

  it('counts each tick by the share of a processor that threads get, and reports the share', () => {
    let share = 1;
    const { clock, reports, silences } = create(undefined, () => share);
    clock.advance(500);
    share = 0.25;
    clock.advance(1750);
    expect(reports).toEqual([]);
    clock.advance(250);
    expect(reports).toEqual(['silent 1000']);
    expect(silences[0]).toEqual({ counted: 1000, elapsed: 2500, late: 0, processorShare: 0.4 });
    share = 1;
    clock.advance(4000);
    expect(reports).toEqual(['silent 1000', 'hang 5000']);
  });

  it('finds a hung thread on any machine, after at most ten times the limit', () => {
    const { clock, reports } = create(undefined, () => 0.001);
    clock.advance(9500);
    expect(reports).toEqual([]);
    clock.advance(41_000);
    expect(reports.map((report) => report.split(' ')[0])).toEqual(['silent', 'hang']);
  });

  it('reports how late its own ticks were', () => {
    const { clock, silences } = create();
    clock.block(2000);
    clock.advance(0);
    clock.advance(750);
    expect(silences).toEqual([{ counted: 1000, elapsed: 2750, late: 1750, processorShare: 1 }]);
  });
});
