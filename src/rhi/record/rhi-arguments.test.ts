/** Wrong arguments of `fencepost/rhi`'s calls throw typed errors that name the value, the option and the remedy. */
import { describe, expect, it } from 'vitest';
import { OptionError } from '../../core/errors.js';
import { replay } from '../capture/replay.js';
import { openReplay } from '../capture/replay-session.js';
import { createRhi, type RhiOptions } from '../host/create-rhi.js';
import { validate } from '../validation/validate.js';
import { createFakeDevice } from '../webgpu/fake-device.test-support.js';

const { device } = createFakeDevice();
const given = (options: unknown) => () => createRhi(options as RhiOptions);

/** Returns the error that the call throws, or with which its promise rejects. */
async function slip(call: () => unknown): Promise<{ code?: string; message: string; name: string }> {
  try {
    await call();
  } catch (error) {
    return error as Error;
  }
  return { name: 'nothing', message: 'was thrown' };
}

describe('createRhi refuses', () => {
  it.each<[string, unknown, string, RegExp]>([
    ['no options', undefined, 'device-option', /Pass the GPUDevice that openDevice resolves to, or null/],
    ['options without a device', {}, 'device-option', /openDevice/],
    ['an adapter as the device', { device: { features: [], limits: {} } }, 'device-option', /an object/],
    ['a number as the options', 5, 'device-option', /openDevice/],
    [
      'a misspelt name',
      { device, onerror: () => {} },
      'option-unknown',
      /"onerror".*Did you mean "onError"\?/,
    ],
    ['a misspelt name on the null backend', { device: null, bypas: true }, 'option-unknown', /"bypass"/],
    [
      'validation that is not a function',
      { device, validation: true },
      'option-invalid',
      /The option "validation" of createRhi is true; it has to be the function validate, which fencepost\/rhi exports/,
    ],
    ['text as the surface', { device, surface: 'canvas' }, 'option-invalid', /"surface" .* "canvas".*null/],
    ['a context as the surface', { device, surface: {} }, 'option-invalid', /HTMLCanvasElement/],
    ['text as a listener', { device, onError: 'log' }, 'option-invalid', /"onError" .* a function/],
    [
      'a wrapper that is not a function',
      { device, wrapReader: {} },
      'option-invalid',
      /"wrapReader" .* a function/,
    ],
    [
      'an object as localCommands',
      { device, localCommands: {} },
      'option-invalid',
      /"localCommands" .* a Map of/,
    ],
    [
      'text for a boolean option',
      { device, bypass: 'no' },
      'option-invalid',
      /"bypass" .* "no".* true or false/,
    ],
    ['a number as the label', { device, label: 3 }, 'option-invalid', /"label" .* is 3; .* a string/],
    ['too many frames in flight', { device, maxFramesInFlight: 9 }, 'bad-frames-in-flight', /1 to 8/],
  ])('%s', async (_, options, code, message) => {
    const error = await slip(given(options));
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
  });

  it('no valid option', () => {
    // `Required` makes the compiler report an option that is missing from this list.
    const all: Required<RhiOptions> = {
      device,
      requiredCapabilities: {},
      surface: null,
      maxFramesInFlight: 2,
      validation: validate,
      wrapReader: (reader) => reader,
      onError: () => {},
      bypass: false,
      label: 'scene',
      onReadback: () => {},
      events: undefined as never,
      onFrame: () => {},
      surfaceFormat: 'rgba8unorm',
      localCommands: new Map(),
      onVideoFrame: () => {},
      maximumUploadBytes: 2 ** 20,
      maximumReadBackBytes: 2 ** 20,
    };
    expect(given(all)).not.toThrow();
    expect(given({ device: null, validation: undefined, surface: undefined })).not.toThrow();
  });
});

describe('replay refuses', () => {
  const bytes = new ArrayBuffer(64);

  it.each<[string, unknown]>([
    ['null', null],
    ['nothing', undefined],
    ['text', 'abc'],
    ['an object', { frames: [] }],
  ])('%s as a capture', async (_, file) => {
    for (const call of [() => replay(file as never, device), () => openReplay(file as never, device)]) {
      const error = await slip(call);
      expect([error.code, error.message]).toEqual([
        'capture-format',
        expect.stringMatching(/This is not a capture: .* was given\. Give the ArrayBuffer/),
      ]);
    }
  });

  it.each<[string, unknown]>([
    ['no device', undefined],
    ['the null backend', null],
    ['text', 'device'],
  ])('%s', async (_, none) => {
    for (const call of [() => replay(bytes, none as never), () => openReplay(bytes, none as never)]) {
      const error = await slip(call);
      expect(error).toBeInstanceOf(OptionError);
      expect([error.code, error.message]).toEqual([
        'device-option',
        expect.stringMatching(/Pass the GPUDevice that openDevice resolves to\./),
      ]);
    }
  });

  it('unknown options', async () => {
    const error = await slip(() => replay(bytes, device, { onframe: () => {} } as never));
    expect([error.code, error.message]).toEqual(['option-unknown', expect.stringContaining('"onFrame"')]);
  });
});
