import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FencepostError } from '../core/errors.js';
import { createEngine } from './creation/compose-engine.js';
import type { Engine } from './engine.js';
import { ENGINE_OPTIONS } from './options/engine-options.js';

let engine: Engine;
afterEach(() => engine.dispose());

const open = async (options = {}): Promise<Engine> => {
  engine = await createEngine(null, { backend: 'null', ...options });
  return engine;
};

const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    return (error as FencepostError).code;
  }
  return 'none';
};

describe('engine.settings (R18)', () => {
  it('lists the options of effects, and every engine option except one-time arguments such as signal', async () => {
    const { settings } = await open({ taskWorkers: 3, flightRecorder: { seconds: 2 }, timelineKey: null });
    const names = settings.list().map(({ name }) => name);
    const arguments_ = ['signal', 'workerUrl', 'requiredFeatures', 'requiredLimits', 'rhiTrace'];
    const objects = ['effects', 'watchdog'];
    const options = Object.keys(ENGINE_OPTIONS).filter((name) => ![...arguments_, ...objects].includes(name));
    expect(names.filter((name) => !name.includes('.'))).toEqual(options);
    expect(names).toEqual(expect.arrayContaining(['effects.vignette.amount', 'watchdog.restartSeconds']));
    const values = ['taskWorkers', 'flightRecorder', 'timelineKey', 'watchdog.restartSeconds', 'backend'];
    expect(values.map((name) => settings.get(name))).toEqual([3, 2, null, 5, 'null']);
    expect(`${settings}`).toMatch(/^exposure +1 +1e-6 to 1e6 +any time {2}factor on all light/m);
    for (const { description } of settings.list()) expect(description).not.toBe('');
  });

  it('sets the properties of the engine, and reads values that were assigned to them', async () => {
    const { settings } = await open();
    const values: Record<string, unknown> = {
      oneFrameThreadLag: false,
      renderer: 'deferred',
      antialias: 1,
      toneMapping: 'agx',
      debugView: 'normals',
      transparency: 'weighted',
      exposure: 2,
      pixelRatio: 1.5,
      resolutionScale: 0.5,
      background: '#abc',
    };
    for (const [name, value] of Object.entries(values)) {
      settings.set(name, value);
      expect((engine as unknown as Record<string, unknown>)[name]).toBe(value);
    }
    engine.exposure = 3;
    expect(settings.get('exposure')).toBe(3);
    settings.set('effects.vignette', true);
    settings.set('effects.vignette.amount', 0.25);
    expect(engine.effects.vignette).toMatchObject({ amount: 0.25 });
    settings.set('effects.vignette', false);
    expect(settings.get('effects.vignette.amount')).toBe(0.5);
    const changeable = settings.list().filter(({ isChangeable }) => isChangeable);
    expect(changeable.map(({ name }) => name).filter((name) => !name.startsWith('effects.'))).toEqual(
      [...Object.keys(values), 'hdr'].sort(
        (a, b) => Object.keys(ENGINE_OPTIONS).indexOf(a) - Object.keys(ENGINE_OPTIONS).indexOf(b),
      ),
    );
  });

  it('rejects unknown names, values out of range, options of an effect that is off, and fixed settings', async () => {
    const { settings } = await open();
    expect(codeOf(() => settings.set('exposre', 2))).toBe('option-unknown');
    expect(codeOf(() => settings.set('exposure', 0))).toBe('option-out-of-range');
    expect(codeOf(() => settings.set('oneFrameThreadLag', 'no'))).toBe('option-invalid');
    expect(codeOf(() => settings.set('effects.vignette.amount', 0.5))).toBe('option-invalid');
    expect(codeOf(() => settings.set('background', 'nonsense'))).toBe('color-invalid');
    expect(codeOf(() => settings.set('maxFramesInFlight', 3))).toBe('setting-fixed');
    expect(() => settings.set('threading', 'single')).toThrow(/await engine\.setThreading/);
    expect(settings.get('exposure')).toBe(1);
  });

  it('notifies watchers of assigned properties and effects', async () => {
    const { settings } = await open();
    const watcher = vi.fn();
    for (const name of ['exposure', 'effects.vignette.amount', 'pixelRatio', 'oneFrameThreadLag'])
      settings.watch(name, (value) => watcher(name, value));
    engine.exposure = 2;
    engine.effects = { vignette: { amount: 0.75 } };
    engine.pixelRatio = 2;
    engine.oneFrameThreadLag = false;
    await Promise.resolve();
    expect(watcher.mock.calls).toEqual([
      ['exposure', 2],
      ['effects.vignette.amount', 0.75],
      ['pixelRatio', 2],
      ['oneFrameThreadLag', false],
    ]);
  });
});
