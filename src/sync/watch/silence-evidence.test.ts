import { describe, expect, it } from 'vitest';
import { evidenceOf } from './silence-evidence.js';

describe('R9 evidence of a silence', () => {
  it('hung: the thread had a processor, and the observer’s timers were in time', () => {
    const { details, sentence } = evidenceOf({
      counted: 1000,
      elapsed: 1100,
      late: 40,
      processorShare: 0.94,
    });
    expect(details).toEqual({
      verdict: 'hung',
      silentSeconds: '1.1',
      lateSeconds: '0.0',
      processorShare: '0.94',
    });
    expect(sentence).toMatch(/hangs in a loop/);
  });

  it('starved: threads got little of a processor', () => {
    const { details, sentence } = evidenceOf({ counted: 1000, elapsed: 5000, late: 0, processorShare: 0.2 });
    expect(details).toMatchObject({ verdict: 'starved', silentSeconds: '5.0', processorShare: '0.20' });
    expect(sentence).toMatch(/starved rather than hung.*5\.0 s by the clock.*20 % of a processor/);
  });

  it('starved: the observer’s own timers were late', () => {
    const { details, sentence } = evidenceOf({ counted: 1000, elapsed: 4500, late: 3500, processorShare: 1 });
    expect(details).toMatchObject({ verdict: 'starved', lateSeconds: '3.5' });
    expect(sentence).toMatch(/timers were 3\.5 s late/);
  });
});
