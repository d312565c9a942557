import { describe, expect, it, vi } from 'vitest';
import {
  boolean,
  byDefault,
  changeable,
  countFrom,
  fixed,
  numberFrom,
  oneOf,
  optional,
  options,
} from './members.js';
import { Settings } from './settings.js';

const TABLE = {
  signal: optional(boolean()),
  gamma: changeable('power of the curve', byDefault(numberFrom(1e-6, 4), 1)),
  mode: changeable('kind of curve', byDefault(oneOf('flat|steep'), 'flat')),
  ratio: changeable('pixels per pixel', byDefault(numberFrom(0.1, 8), null)),
  workers: fixed('workers', byDefault(countFrom(0, 64), 2)),
  watchdog: optional(options({ seconds: fixed('seconds until a report', numberFrom(1, 9)) })),
};

function create(errors: unknown[] = []) {
  const values: Record<string, unknown> = {
    gamma: 1,
    mode: 'flat',
    ratio: null,
    workers: 2,
    'watchdog.seconds': 3,
  };
  const settings: Settings = new Settings(TABLE, {
    what: 'curve.settings',
    read: (name) => values[name],
    write: (name, value) => {
      values[name] = value;
      settings.changed();
    },
    remedyOf: () => 'Pass it to createCurve.',
    reportError: (error) => errors.push(error),
  });
  return { settings, values };
}

describe('Settings (R18)', () => {
  it('lists the rows with a description, and those of objects within them', () => {
    const { settings } = create();
    expect(settings.list().map(({ name }) => name)).toEqual([
      'gamma',
      'mode',
      'ratio',
      'workers',
      'watchdog.seconds',
    ]);
    expect(settings.describe('gamma')).toEqual({
      name: 'gamma',
      value: 1,
      default: 1,
      description: 'power of the curve',
      values: '1e-6 to 4',
      range: [1e-6, 4],
      words: null,
      isChangeable: true,
    });
    expect(settings.describe('mode')).toMatchObject({ values: 'flat, steep', words: ['flat', 'steep'] });
    expect(settings.describe('ratio').values).toBe('0.1 to 8, or null');
    expect(settings.describe('watchdog.seconds')).toMatchObject({ value: 3, isChangeable: false });
  });

  it('is printed as a table with a line per setting', () => {
    const { settings } = create();
    expect(`${settings}`).toBe(
      [
        'setting           value   values             set       meaning',
        'gamma             1       1e-6 to 4          any time  power of the curve',
        'mode              "flat"  flat, steep        any time  kind of curve',
        'ratio             null    0.1 to 8, or null  any time  pixels per pixel',
        'workers           2       0 to 64            creation  workers',
        'watchdog.seconds  3       1 to 9             creation  seconds until a report',
      ].join('\n'),
    );
  });

  it('rejects unknown names, values outside of the range and fixed settings', () => {
    const { settings, values } = create();
    const codeOf = (act: () => unknown): string => {
      try {
        act();
      } catch (error) {
        return `${(error as { code: string }).code}: ${(error as Error).message}`;
      }
      return 'no error';
    };
    expect(codeOf(() => settings.get('gama'))).toMatch(
      /^option-unknown: curve\.settings has no setting "gama"\. Did you mean "gamma"\?/,
    );
    expect(codeOf(() => settings.watch('constructor', () => {}))).toMatch(/^option-unknown/);
    expect(codeOf(() => settings.set('gamma', 5))).toBe(
      'option-out-of-range: gamma of curve.settings is 5; it has to be a number from 0.000001 to 4.',
    );
    expect(codeOf(() => settings.set('mode', 'round'))).toMatch(/^option-invalid/);
    expect(codeOf(() => settings.set('workers', 3))).toBe(
      "setting-fixed: workers of curve.settings can't be set. Pass it to createCurve.",
    );
    expect(codeOf(() => settings.set('gamma', null))).toMatch(/^option-out-of-range/);
    expect(values).toMatchObject({ gamma: 1, mode: 'flat', workers: 2 });
    settings.set('ratio', null);
    settings.set('gamma', 2);
    expect(settings.get('gamma')).toBe(2);
  });

  it('calls watchers once per turn, with the last value, and only after a change', async () => {
    const errors: unknown[] = [];
    const { settings } = create(errors);
    const listener = vi.fn();
    settings.watch('mode', () => {
      throw new Error('a slip');
    });
    const end = settings.watch('gamma', listener);
    settings.set('gamma', 2);
    settings.set('gamma', 3);
    settings.set('mode', 'steep');
    await Promise.resolve();
    settings.set('gamma', 3);
    await Promise.resolve();
    expect(listener.mock.calls).toEqual([[3]]);
    expect(errors).toHaveLength(1);
    end();
    end();
    settings.set('gamma', 1);
    await Promise.resolve();
    expect(listener).toHaveBeenCalledTimes(1);
  });
});
