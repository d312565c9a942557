import { describe, expect, it, vi } from 'vitest';
import { decodeRecord } from '../../core/records/record-codec.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import { NO_ID, RenderOpcode } from '../../proxy/commands.js';
import {
  EFFECT_NAMES,
  EffectState,
  type EffectOptions as GivenOptions,
  unpackEffect,
} from '../../proxy/effects.js';
import { parseCube } from './cube-file.js';
import { EffectSettings, type Effects, type ViewEffects } from './effect-settings.js';

type EffectOptions = { -readonly [Name in keyof GivenOptions<'vignette'>]: GivenOptions<'vignette'>[Name] };

function createSettings<Shown extends ViewEffects = Effects>(
  { unset }: { unset: false | undefined } = { unset: false },
) {
  const beforeChange = vi.fn();
  const settings = new EffectSettings<Shown>('engine', unset, beforeChange);
  const { writer, reader } = createLocalStream({ table: renderCommands });
  /** Returns the records of all changes since the last call. */
  const sent = (view = NO_ID) => {
    settings.write(writer, view);
    writer.publish();
    const records: unknown[] = [];
    while (reader.next()) {
      const { name, values } = decodeRecord(renderCommands, reader);
      if (name !== 'setEffect') throw new Error(name);
      const { effect, state } = values;
      const options = values.values.length && unpackEffect(EFFECT_NAMES[effect] ?? 'vignette', values.values);
      records.push([values.view, EFFECT_NAMES[effect], state, options || null]);
    }
    return records;
  };
  return { settings, effects: settings.shown, beforeChange, sent };
}

const VIGNETTE = { amount: 0.5, radius: expect.closeTo(0.3, 6), softness: 1, color: [0, 0, 0] };

describe('EffectSettings', () => {
  it('is off at first, and sends nothing', () => {
    const { effects, sent } = createSettings();
    expect(Object.values(effects).every((value) => value === false)).toBe(true);
    expect(sent()).toEqual([]);
  });

  it('sends an effect with all its options, including defaults, once per change', () => {
    const { settings, effects, sent, beforeChange } = createSettings();
    effects.vignette = true;
    expect(sent()).toEqual([[NO_ID, 'vignette', EffectState.on, VIGNETTE]]);
    expect(sent()).toEqual([]);
    effects.vignette = { amount: 0.25, color: '#f00' };
    const changed = { ...VIGNETTE, amount: 0.25, color: [1, 0, 0] };
    expect(sent(7)).toEqual([[7, 'vignette', EffectState.on, changed]]);
    settings.assign({ vignette: false });
    expect(sent()).toEqual([[NO_ID, 'vignette', EffectState.off, null]]);
    expect(beforeChange).toHaveBeenCalledTimes(3);
  });

  it('returns an effect with all its options, as copies that are independent of the page’s objects', () => {
    const { settings, effects } = createSettings();
    const options = { amount: 0.25, color: [1, 0, 0] as [number, number, number] };
    effects.vignette = options;
    options.amount = 1;
    options.color[0] = 0;
    const all = { amount: 0.25, radius: 0.3, softness: 1, color: [1, 0, 0] };
    expect(effects.vignette).toEqual(all);
    expect({ ...effects }).toMatchObject({ vignette: all });
    settings.assign(effects);
    expect(effects.vignette).toEqual(all);
    effects.vignette = true;
    expect(effects.vignette).toEqual({ amount: 0.5, radius: 0.3, softness: 1, color: [0, 0, 0] });
    settings.assign({});
    expect(effects.vignette).toBe(false);
  });

  it('checks and sends single options', () => {
    const { effects, sent, beforeChange } = createSettings();
    effects.vignette = true;
    const vignette = effects.vignette as unknown as EffectOptions;
    vignette.amount = 0.25;
    vignette.color = '#f00';
    expect(effects.vignette).toMatchObject({ amount: 0.25, color: '#f00', softness: 1 });
    expect(sent()).toEqual([
      [NO_ID, 'vignette', EffectState.on, { ...VIGNETTE, amount: 0.25, color: [1, 0, 0] }],
    ]);
    delete vignette.amount;
    expect(vignette.amount).toBe(0.5);
    expect(beforeChange).toHaveBeenCalledTimes(4);
    for (const [change, code] of [
      [{ amount: 2 }, 'option-out-of-range'],
      [{ color: 'no colour' }, 'color-invalid'],
      [{ amuont: 1 }, 'option-unknown'],
    ] as const)
      expect(() => Object.assign(vignette, change)).toThrow(expect.objectContaining({ code }));
    effects.vignette = { radius: 0 };
    expect(vignette).toMatchObject({ amount: 0.5, radius: 0 });
    effects.vignette = false;
    expect(() => Object.assign(vignette, { amount: 1 })).toThrow(
      "effects.vignette of engine is not on, so its amount can't be set",
    );
    expect(effects.vignette).toBe(false);
  });

  it('inherits the engine’s effects for a view until they are set, and again after undefined', () => {
    const { effects, sent } = createSettings<ViewEffects>({ unset: undefined });
    expect(Object.values(effects).every((value) => value === undefined)).toBe(true);
    effects.vignette = false;
    expect(sent(2)).toEqual([[2, 'vignette', EffectState.off, null]]);
    effects.vignette = undefined;
    expect(sent(2)).toEqual([[2, 'vignette', EffectState.inherited, null]]);
  });

  it('resends all set effects to another stream', () => {
    const { settings, effects, sent } = createSettings();
    settings.resend();
    expect(sent()).toEqual([]);
    effects.vignette = true;
    sent();
    settings.resend();
    expect(sent()).toEqual([[NO_ID, 'vignette', EffectState.on, VIGNETTE]]);
  });

  it('sends a table before its effect, once per stream and table', () => {
    const settings = new EffectSettings<Effects>('engine', false, () => {});
    const { writer, reader } = createLocalStream({ table: renderCommands });
    const names = () => {
      settings.write(writer, NO_ID);
      writer.publish();
      const sent: string[] = [];
      while (reader.next()) {
        sent.push(renderCommands.names[reader.opcode] ?? '');
        if (reader.opcode === RenderOpcode.setEffectTable) reader.attachment(reader.words[reader.fields]!);
      }
      return sent;
    };
    const table = parseCube('LUT_1D_SIZE 2\n0 0 0\n1 1 1');
    settings.shown.colorGrading = { table };
    expect(names()).toEqual(['setEffectTable', 'setEffect']);
    settings.shown.colorGrading = { table, saturation: 0.5, gain: 2 };
    expect(settings.shown.colorGrading).toMatchObject({ table, gain: 2, gamma: [1, 1, 1] });
    expect(names()).toEqual(['setEffect']);
    settings.resend();
    expect(names()).toEqual(['setEffectTable', 'setEffect']);
    settings.shown.colorGrading = true;
    expect(names()).toEqual(['setEffect']);
    settings.shown.colorGrading = { table };
    expect(names()).toEqual(['setEffectTable', 'setEffect']);
  });

  it('sends NaN for a missing colour', () => {
    const { effects, sent } = createSettings();
    effects.fog = true;
    const values = { density: expect.closeTo(0.02, 6), color: [Number.NaN, Number.NaN, Number.NaN] };
    expect(sent()).toEqual([[NO_ID, 'fog', EffectState.on, expect.objectContaining(values)]]);
    expect(effects.fog).toMatchObject({ color: undefined, height: 0 });
  });

  it.each([
    [
      { vignete: true },
      'option-unknown',
      'effects of engine has no option "vignete". Did you mean "vignette"?',
    ],
    [
      { vignette: 5 },
      'option-invalid',
      'effects.vignette of engine takes its options by name, in one object, and was given 5',
    ],
    [
      { vignette: null },
      'option-invalid',
      'effects.vignette of engine takes its options by name, in one object, and was given null',
    ],
    [{ vignette: [] }, 'option-invalid', 'effects.vignette of engine takes its options by name'],
    [{ vignette: { amuont: 1 } }, 'option-unknown', 'vignette of effects of engine has no option "amuont".'],
    [
      { vignette: { amount: 2 } },
      'option-out-of-range',
      'effects.vignette.amount of engine is 2; it has to be a number from 0 to 1.',
    ],
    [{ vignette: { radius: '1' } }, 'option-out-of-range', 'effects.vignette.radius of engine is "1";'],
    [{ vignette: { color: 'no colour' } }, 'color-invalid', 'effects.vignette.color of engine is'],
  ])('rejects %o with %s, assigned whole or by name, and keeps the old effects', (wrong, code, message) => {
    const { settings, effects, beforeChange, sent } = createSettings();
    effects.vignette = { amount: 0.25 };
    sent();
    const error = expect.objectContaining({
      name: 'OptionError',
      code,
      message: expect.stringContaining(message),
    });
    expect(() => settings.assign(wrong)).toThrow(error);
    expect(() => Object.assign(effects, wrong)).toThrow(error);
    expect(effects).toMatchObject({ vignette: { amount: 0.25 } });
    expect(sent()).toEqual([]);
    expect(beforeChange).toHaveBeenCalledTimes(1);
  });

  it('rejects effects that are not objects', () => {
    for (const wrong of [true, null, 'vignette', []])
      expect(() => createSettings().settings.assign(wrong as never)).toThrow(
        expect.objectContaining({ code: 'option-invalid' }),
      );
  });

  it('changes nothing if beforeChange throws', () => {
    const { effects, beforeChange, sent } = createSettings();
    beforeChange.mockImplementation(() => {
      throw new Error('disposed');
    });
    expect(() => {
      effects.vignette = true;
    }).toThrow('disposed');
    expect(effects.vignette).toBe(false);
    expect(sent()).toEqual([]);
  });
});
