import { expect, test } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';
import { openEnginePage } from './open-engine-page.js';

// R18: the registry of settings, by the public API and in the timeline's panel.

inEveryMode(
  'R18: settings are listed, read, set and watched by name; wrong names, values and fixed settings are refused',
  async (engine) => {
    const { fencepost, kit } = window;
    const { world, settings } = engine;
    world.addCamera({ position: [0, 0, 3], lookAt: [0, 0, 0] });
    world.addMesh({ geometry: fencepost.boxGeometry(), material: fencepost.unlitMaterial() });
    const seen: unknown[] = [];
    const end = settings.watch('background', (value) => seen.push(value));
    settings.watch('effects.vignette.amount', (value) => seen.push(value));
    const corner = async (): Promise<number[]> => {
      await engine.step(0);
      return kit.pixel(await engine.captureFrame(), 2, 2).slice(0, 3);
    };
    const black = await corner();
    settings.set('background', '#ff0000');
    const red = await corner();
    settings.set('effects.vignette', { amount: 1, radius: 0, softness: 0 });
    const dark = await corner();
    settings.set('effects.vignette', false);
    end();
    engine.background = '#00ff00';
    const green = await corner();
    const codeOf = (act: () => unknown): string => {
      try {
        act();
      } catch (error) {
        return (error as { code: string }).code;
      }
      return 'none';
    };
    const codes = [
      codeOf(() => settings.get('backgruond')),
      codeOf(() => settings.set('exposure', 0)),
      codeOf(() => settings.set('toneMapping', 'sepia')),
      codeOf(() => settings.set('maxFramesInFlight', 3)),
      codeOf(() => settings.set('threading', 'single')),
    ];
    const threading = settings.get('threading') === engine.threading;
    const { range, isChangeable } = settings.describe('exposure');
    const background = settings.get('background');
    // The columns are as wide as the longest value, which is that of `threading`.
    const line = `${settings}`
      .split('\n')
      .find((each) => each.startsWith('validation '))
      ?.replace(/ +/g, ' ');
    return { black, red, dark, green, seen, codes, threading, range, isChangeable, background, line };
  },
  (seen) => {
    const { line, dark, ...others } = seen as { line: string; dark: number[] };
    expect(others).toEqual({
      black: [0, 0, 0],
      red: [255, 0, 0],
      green: [0, 255, 0],
      seen: ['#ff0000', 1, 0.5],
      codes: ['option-unknown', 'option-out-of-range', 'option-invalid', 'setting-fixed', 'setting-fixed'],
      threading: true,
      range: [1e-6, 1e6],
      isChangeable: true,
      background: '#00ff00',
    });
    expect(dark[0]).toBeLessThan(64);
    expect(line).toBe('validation true true or false creation whether every RHI command is checked');
  },
);

test('R18: a watcher of the threading mode is called once other threads have taken over', async ({
  page,
  plainURL,
}) => {
  await openEnginePage(page, plainURL);
  const seen = await page.evaluate(async () => {
    const engine = await window.fencepost.createEngine(window.kit.view, { threading: 'render' });
    const seen: unknown[] = [];
    engine.settings.watch('threading', (mode) => seen.push(mode));
    await engine.step(0);
    await engine.setThreading('render+rhi');
    await engine.setThreading('render+rhi');
    await engine.setThreading('single');
    await engine.dispose();
    return seen;
  });
  expect(seen).toEqual(['render+rhi', 'single']);
});

test('R18: the timeline’s panel shows the settings, sets those that can change, and names wrong values', async ({
  page,
  isolatedURL,
}) => {
  await openEnginePage(page, isolatedURL);
  await page.evaluate(async () => {
    const { createEngine, boxGeometry } = window.fencepost;
    const engine = await createEngine(window.kit.view, { threading: 'render', maxFramesInFlight: 3 });
    engine.world.addCamera({ position: [0, 0, 4], lookAt: [0, 0, 0] });
    engine.world.addMesh({ geometry: boxGeometry() });
    await engine.step(0);
    await engine.showTimeline();
    Object.assign(window, { engine });
  });
  interface Held {
    readonly engine: Awaited<ReturnType<Window['fencepost']['createEngine']>>;
  }
  const settingOf = (name: string): Promise<unknown> =>
    page.evaluate((name) => (window as unknown as Held).engine.settings.get(name), name);
  const panel = page.getByRole('region', { name: 'Timeline' });
  const button = panel.getByRole('button', { name: 'Settings' });
  const table = panel.getByRole('table', { name: 'Settings' });
  await expect(table).toHaveCount(0);
  await button.click();
  await expect(button).toHaveAttribute('aria-pressed', 'true');
  await expect(table.getByRole('row', { name: /^maxFramesInFlight/ })).toHaveText(
    /maxFramesInFlight31 to 8frames by which the GPU may lag behind/,
  );

  await table.getByLabel('toneMapping').selectOption('aces');
  await table.getByLabel('oneFrameThreadLag').uncheck();
  const exposure = table.getByLabel('exposure', { exact: true });
  await exposure.fill('2.5');
  await exposure.press('Enter');
  expect(await settingOf('toneMapping')).toBe('aces');
  expect(await settingOf('oneFrameThreadLag')).toBe(false);
  expect(await settingOf('exposure')).toBe(2.5);

  await exposure.fill('-1');
  await exposure.press('Enter');
  await expect(exposure).toHaveAttribute('aria-invalid', 'true');
  await expect(panel.getByRole('status')).toHaveText(/exposure of engine\.settings is -1/);
  expect(await settingOf('exposure')).toBe(2.5);

  // The panel follows changes by the page.
  await page.evaluate(() => {
    (window as unknown as Held).engine.toneMapping = 'agx';
  });
  await expect(table.getByLabel('toneMapping')).toHaveValue('agx');
  await button.click();
  await expect(table).toHaveCount(0);
  await page.evaluate(() => (window as unknown as Held).engine.dispose());
});
