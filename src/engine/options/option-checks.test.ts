import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { EngineOptions } from './engine-options.js';
import { resolveOptions } from './option-checks.js';

describe('resolveOptions', () => {
  it('fills in the documented defaults', () => {
    expect(resolveOptions()).toEqual({
      threading: 'render',
      taskWorkers: null,
      recordingTasks: 0,
      oneFrameThreadLag: true,
      maxFramesInFlight: 2,
      maximumReadBackBytes: 2 ** 28,
      maximumCaptureBytes: 2 ** 29,
      frameSync: 'render',
      renderer: 'forward',
      antialias: 4,
      hdr: true,
      toneMapping: 'none',
      debugView: 'none',
      transparency: 'sorted',
      exposure: 1,
      effects: undefined,
      pixelRatio: null,
      resolutionScale: 1,
      background: '#000',
      isRhiTraced: false,
      locate: undefined,
      rhiBypass: false,
      rhiTrace: undefined,
      backend: 'webgpu',
      validation: false,
      checksGraph: false,
      requiredFeatures: [],
      requiredLimits: [],
      required: null,
      flightRecorder: 0,
      deviceLost: 'recover',
      deviceLostMessage: false,
      timelineKey: 'F8',
      reportSeconds: 1,
      restartSeconds: 5,
      gpuReportSeconds: 30,
    });
  });

  it('turns true and false for antialias into 4 and 1', () => {
    expect(resolveOptions({ antialias: false }).antialias).toBe(1);
    expect(resolveOptions({ antialias: 1 }).antialias).toBe(1);
    expect(resolveOptions({ antialias: true }).antialias).toBe(4);
    expect(resolveOptions({ antialias: 'fxaa' }).antialias).toBe('fxaa');
  });

  it('adjusts the default of a missing watchdog limit to the given limit', () => {
    const secondsOf = (watchdog: EngineOptions['watchdog']) => {
      const { reportSeconds, restartSeconds } = resolveOptions({ watchdog } as EngineOptions);
      return [reportSeconds, restartSeconds];
    };
    expect(secondsOf({})).toEqual([1, 5]);
    expect(secondsOf({ reportSeconds: 0.5 })).toEqual([0.5, 5]);
    expect(secondsOf({ reportSeconds: 8 })).toEqual([8, 8]);
    expect(secondsOf({ restartSeconds: 0.5 })).toEqual([0.5, 0.5]);
    expect(secondsOf({ reportSeconds: 2, restartSeconds: 2 })).toEqual([2, 2]);
  });

  it.each([
    [{ thraeding: 'single' }, 'option-unknown', /no option "thraeding".*"threading"/],
    [{ threading: 'double' }, 'option-invalid', /threading of createEngine is "double".*render\+rhi/],
    [{ maxFramesInFlight: 0 }, 'option-out-of-range', /maxFramesInFlight.* is 0.*from 1 to 8/],
    [{ maxFramesInFlight: 1.5 }, 'option-out-of-range', /is 1.5.*whole number/],
    [{ exposure: Number.NaN }, 'option-out-of-range', /exposure.* is NaN/],
    [{ pixelRatio: -1 }, 'option-out-of-range', /0.1 to 8/],
    [{ antialias: 8 }, 'option-invalid', /antialias.* is 8.*4, 1, false or 'fxaa', 'smaa', 'taa'/],
    [{ antialias: 'none' as never }, 'option-invalid', /antialias.* is "none"/],
    [{ renderer: 'ray' }, 'option-invalid', /renderer.* is "ray".*deferred/],
    [{ validation: 'on' }, 'option-invalid', /validation.*true or false/],
    [{ flightRecorder: { seconds: 0 } }, 'option-out-of-range', /flightRecorder.seconds.* is 0.*0.1 to 60/],
    [
      { flightRecorder: { secs: 1 } },
      'option-unknown',
      /flightRecorder of createEngine has no option "secs"/,
    ],
    [{ flightRecorder: 5 }, 'option-invalid', /flightRecorder of createEngine.*by name/],
    [{ taskWorkers: Number.NaN }, 'option-out-of-range', /taskWorkers of createEngine is NaN/],
    [{ workerUrl: 'http://' }, 'option-invalid', /workerUrl.*URL/],
    [{ timelineKey: 8 }, 'option-invalid', /timelineKey.* is 8.*a key or null/],
    [{ oneFrameThreadLag: 1 }, 'option-invalid', /true or false/],
    [{ background: 7 }, 'option-invalid', /background.* is 7.*CSS colour/],
    [{ workerUrl: { engine: 'worker.js' } }, 'option-invalid', /workerUrl.*one URL each/],
    [{ taskWorkers: 1.5 }, 'option-out-of-range', /taskWorkers.*whole number/],
    [{ taskWorkers: 65 }, 'option-out-of-range', /taskWorkers of createEngine is 65/],
    [{ watchdog: null }, 'option-invalid', /watchdog of createEngine.*by name/],
    [{ watchdog: 5 }, 'option-invalid', /watchdog of createEngine.*by name/],
    [{ watchdog: { report: 1 } }, 'option-unknown', /no option "report".*"reportSeconds"/],
    [{ watchdog: { reportSeconds: '1' } }, 'option-out-of-range', /watchdog.reportSeconds.* is "1";/],
    [{ watchdog: { restartSeconds: 0 } }, 'option-out-of-range', /watchdog.restartSeconds.* is 0;/],
    [
      { watchdog: { reportSeconds: 3, restartSeconds: 2 } },
      'option-out-of-range',
      /restartSeconds.* from 3 to/,
    ],
    [{ workerUrl: null }, 'option-invalid', /workerUrl.* is null/],
    [{ signal: {} }, 'option-invalid', /signal of createEngine.* has to be an AbortSignal/],
    [
      { signal: new AbortController() },
      'option-invalid',
      /signal of createEngine.* has to be an AbortSignal/,
    ],
  ])('rejects %o with %s', (options, code, message) => {
    expect(() => resolveOptions(options as never)).toThrowError(
      expect.objectContaining({ name: 'OptionError', code, message: expect.stringMatching(message) }),
    );
  });

  it('accepts a signal of another realm, which is not an instance of this AbortSignal', () => {
    const signal = runInNewContext(`({ aborted: false, [Symbol.toStringTag]: 'AbortSignal' })`);
    expect(signal).not.toBeInstanceOf(Object);
    expect(() => resolveOptions({ signal })).not.toThrow();
  });

  it('reads required features and limits, and rejects wrong forms', () => {
    const { requiredFeatures, required } = resolveOptions({ requiredFeatures: ['shader-f16'] });
    expect([requiredFeatures, required]).toEqual([
      ['shader-f16'],
      { features: { 'shader-f16': 1 }, limits: {} },
    ]);
    expect(resolveOptions({ requiredLimits: { maxBindGroups: 5 } }).requiredLimits).toEqual([
      'maxBindGroups',
    ]);
    for (const wrong of [
      { requiredFeatures: 'shader-f16' },
      { requiredFeatures: [1] },
      { requiredFeatures: { 'shader-f16': 0 } },
      { requiredLimits: ['maxBindGroups'] },
      { requiredLimits: { maxBindGroups: '5' } },
    ])
      expect(() => resolveOptions(wrong as never)).toThrow(
        expect.objectContaining({ code: 'option-invalid' }),
      );
  });
});
