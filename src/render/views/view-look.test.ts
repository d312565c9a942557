import { describe, expect, it } from 'vitest';
import { ViewSetting } from '../../proxy/commands.js';
import { PassFormat } from '../keys/pass-format.js';
import { createOwnLook, type LookSettings, type OwnLook, ViewLook } from './view-look.js';

const COMMON: LookSettings = {
  red: 0.1,
  green: 0.2,
  blue: 0.3,
  alpha: 1,
  exposure: 2,
  toneMapping: 1,
  sampleCount: 4,
  hdr: true,
  debugView: 0,
  transparency: 0,
  smoothing: 0,
  resolutionScale: 1,
};

function resolved(
  own: Partial<OwnLook> = {},
  common: Partial<LookSettings> = {},
  hasUnmapped = true,
): ViewLook {
  const look = new ViewLook();
  look.resolve({ ...COMMON, ...common }, { ...createOwnLook(), ...own }, hasUnmapped);
  return look;
}

describe('G5 the look of a view', () => {
  it('has the settings of all views, except those that the view has set itself', () => {
    const { background, exposure, toneMapping, sampleCount, isOverlay } = resolved();
    expect([[...background], exposure, toneMapping, sampleCount, isOverlay]).toEqual([
      [0.1, 0.2, 0.3, 1],
      2,
      1,
      4,
      false,
    ]);
    const own = { red: 1, green: 0.5, blue: 0, alpha: 0.5, exposure: 3, toneMapping: 2, sampleCount: 1 };
    expect([...resolved({ own: ViewSetting.background, ...own }).background]).toEqual([1, 0.5, 0, 0.5]);
    for (const [bit, name] of [
      [ViewSetting.exposure, 'exposure'],
      [ViewSetting.toneMapping, 'toneMapping'],
      [ViewSetting.antialias, 'sampleCount'],
    ] as const) {
      const look = resolved({ own: bit, ...own });
      for (const each of ['exposure', 'toneMapping', 'sampleCount'] as const) {
        expect(look[each], each).toBe((each === name ? own : COMMON)[each]);
      }
    }
  });

  it('lies over other pictures only if its own background is translucent', () => {
    expect(resolved({}, { alpha: 0 }).isOverlay).toBe(false);
    expect(resolved({ own: ViewSetting.background, alpha: 0 }).isOverlay).toBe(true);
    expect(resolved({ own: ViewSetting.background, alpha: 1 }, { alpha: 0 }).isTranslucent).toBe(false);
  });

  it('has a target for unmapped colours only while its last pass changes tones', () => {
    const plain = { exposure: 1, toneMapping: 0 };
    const hasTarget = (...given: Parameters<typeof resolved>) => resolved(...given).hasUnmappedTarget;
    expect(hasTarget({}, plain)).toBe(false);
    expect(hasTarget({}, { ...plain, exposure: 2 })).toBe(true);
    expect(hasTarget({ own: ViewSetting.exposure, exposure: 2 }, plain)).toBe(true);
    expect(hasTarget({ own: ViewSetting.exposure, exposure: 1 }, { ...plain, exposure: 2 })).toBe(false);
    expect(hasTarget({}, {}, false)).toBe(false);
    expect(hasTarget({}, { hdr: false })).toBe(false);
  });

  it('needs other pipelines if a setting that shaders contain has changed since the view was drawn', () => {
    const common = resolved();
    const look = resolved();
    const isRestyledBy = (own: Partial<OwnLook>) => {
      look.resolve(COMMON, { ...createOwnLook(), ...own }, true);
      return look.isRestyled(common);
    };
    // A view that was never drawn is compared with the look of all views.
    expect(isRestyledBy({})).toBe(false);
    expect(isRestyledBy({ own: ViewSetting.toneMapping, toneMapping: 3 })).toBe(true);
    look.endChange();
    expect(look.isRestyled(common)).toBe(false);
    expect(isRestyledBy({})).toBe(true);
    look.endChange();
    expect(isRestyledBy({ own: ViewSetting.exposure, exposure: 5 })).toBe(false);
    expect(isRestyledBy({ own: ViewSetting.background, red: 1 })).toBe(false);
    expect(isRestyledBy({ own: ViewSetting.background, alpha: 0 })).toBe(true);
    expect(isRestyledBy({ own: ViewSetting.antialias, sampleCount: 1 })).toBe(true);
    look.endChange();
    expect(isRestyledBy({ own: ViewSetting.antialias, sampleCount: 1, smoothing: 1 })).toBe(true);
  });

  it('adds up blended surfaces with weights if its own or the common setting says so', () => {
    const isWeighted = (...given: Parameters<typeof resolved>) => resolved(...given).isWeighted;
    expect(isWeighted()).toBe(false);
    expect(isWeighted({}, { transparency: 1 })).toBe(true);
    expect(isWeighted({ own: ViewSetting.transparency }, { transparency: 1 })).toBe(false);
    expect(isWeighted({ own: ViewSetting.transparency, transparency: 1 })).toBe(true);
    expect(isWeighted({}, { transparency: 1, debugView: 1 })).toBe(false);
  });

  it('of a debug view is plain: black, without exposure, tone mapping and unmapped colours', () => {
    const own = { own: ViewSetting.background | ViewSetting.debugView, alpha: 0, debugView: 3 };
    for (const look of [resolved(own), resolved({}, { debugView: 3, alpha: 0 })]) {
      expect([...look.background]).toEqual([0, 0, 0, 1]);
      expect([look.debugView, look.exposure, look.toneMapping, look.isOverlay]).toEqual([3, 1, 0, false]);
      expect(look.format).toBe(3 * PassFormat.debugView + PassFormat.multisampled);
    }
    expect(resolved({ own: ViewSetting.debugView }, { debugView: 3 }).debugView).toBe(0);
  });

  it('encodes its background as sRGB if surfaces map their own tones', () => {
    const look = resolved({}, { red: 1, green: 0, blue: 0.5, hdr: false });
    expect([...look.background].map((channel) => channel.toFixed(3))).toEqual([
      '1.000',
      '0.000',
      '0.735',
      '1.000',
    ]);
    expect(look.format & PassFormat.multisampled).toBe(PassFormat.multisampled);
  });
});
