import { describe, expect, it, vi } from 'vitest';
import { parseColor } from '../../game/materials/color.js';
import { TONE_MAPPINGS } from '../../proxy/commands.js';
import type { EngineOptions } from './engine-options.js';
import { Look } from './look.js';
import { resolveOptions } from './option-checks.js';

const createLook = (options: EngineOptions = {}) =>
  new Look(resolveOptions({ backend: 'null', background: '#336699', ...options }));

/** Expects these values of `hdr` and `toneMapping`, and a linear background that matches `background`. */
function expectShown(look: Look, hdr: boolean, toneMapping: (typeof TONE_MAPPINGS)[number]): void {
  expect([look.hdr, look.toneMapping]).toEqual([hdr, toneMapping]);
  expect(look.linearBackground).toEqual(parseColor('test', 'background', look.background));
}

describe('Look', () => {
  it('uses the tone mapping of its options, and changes it at once', () => {
    for (const hdr of [true, false])
      for (const toneMapping of TONE_MAPPINGS)
        expectShown(createLook({ hdr, toneMapping }), hdr, toneMapping);
    const look = createLook();
    expectShown(look, true, 'none');
    look.hdr = false;
    expectShown(look, false, 'none');
    look.toneMapping = 'agx';
    expectShown(look, false, 'agx');
    look.background = '#fff';
    expectShown(look, false, 'agx');
    look.hdr = true;
    expectShown(look, true, 'agx');
    look.toneMapping = 'none';
    expectShown(look, true, 'none');
  });

  it('calls onChange for every change', () => {
    const look = createLook();
    const onChange = vi.fn();
    look.onChange = onChange;
    look.background = [0, 0, 0];
    look.exposure = 2;
    look.antialias = 1;
    look.renderer = 'deferred';
    look.toneMapping = 'aces';
    look.renderer = 'forward';
    look.hdr = false;
    look.debugView = 'uv';
    look.transparency = 'weighted';
    look.resolutionScale = 0.5;
    expect(onChange).toHaveBeenCalledTimes(10);
  });

  it('rejects invalid values with typed errors, and keeps its values', () => {
    const look = createLook({ toneMapping: 'aces' });
    const onChange = vi.fn();
    look.onChange = onChange;
    const set = (values: object) => () => void Object.assign(look, values);
    const invalid = expect.objectContaining({ name: 'OptionError', code: 'option-invalid' });
    expect(set({ hdr: 'false' })).toThrow(invalid);
    expect(set({ toneMapping: 'film' })).toThrow(invalid);
    expect(set({ renderer: 'other' })).toThrow(invalid);
    expect(set({ antialias: 2 })).toThrow(invalid);
    expect(set({ debugView: 'uvs' })).toThrow(invalid);
    expect(set({ transparency: 'none' })).toThrow(invalid);
    expect(set({ resolutionScale: 3 })).toThrow(expect.objectContaining({ code: 'option-out-of-range' }));
    expect(set({ exposure: 0 })).toThrow(expect.objectContaining({ code: 'option-out-of-range' }));
    expect(set({ background: 'none' })).toThrow(expect.objectContaining({ code: 'color-invalid' }));
    expectShown(look, true, 'aces');
    expect([look.renderer, look.antialias, look.exposure]).toEqual(['forward', 4, 1]);
    expect(onChange).not.toHaveBeenCalled();
  });

  it('rejects hdr: false together with the deferred renderer, in either order', () => {
    const low = createLook({ hdr: false });
    const pair = expect.objectContaining({
      code: 'option-invalid',
      message: expect.stringMatching(/'deferred'/),
    });
    expect(() => {
      low.renderer = 'deferred';
    }).toThrow(pair);
    const deferred = createLook({ renderer: 'deferred' });
    expect(() => {
      deferred.hdr = false;
    }).toThrow(pair);
    expect([low.renderer, deferred.hdr]).toEqual(['forward', true]);
    expect(() => createLook({ hdr: false, renderer: 'deferred' })).toThrow(pair);
  });
});
