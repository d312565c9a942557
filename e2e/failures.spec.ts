/** A lost device, in every threading mode: typed errors, nothing hangs, and dispose ends everything all the same. */
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';

/** Runs on whichever thread opens the device: a message on the channel destroys it. */
const loseOnDemand = `{
  const open = GPUAdapter.prototype.requestDevice;
  GPUAdapter.prototype.requestDevice = async function (...parameters) {
    const device = await open.apply(this, parameters);
    new BroadcastChannel('lose-device').onmessage = () => device.destroy();
    return device;
  };
}`;

test('a lost device is reported, waiters reject, dispose resolves, and the page can go on', async ({
  page,
  context,
  isolatedURL,
  expectErrors,
}) => {
  expectErrors(/device/i);
  await page.addInitScript(loseOnDemand);
  await context.route(/\/threads\/worker\.ts/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: loseOnDemand + (await response.text()) });
  });
  await openEnginePage(page, isolatedURL);
  const results = await page.evaluate(async () => {
    const { createEngine } = window.fencepost;
    const all = [];
    for (const threading of ['single', 'render', 'render+rhi'] as const) {
      const engine = await createEngine(window.kit.view, { threading, background: '#00f' });
      await engine.step(0.1);
      const lost = new Promise<string>((resolve) =>
        engine.addEventListener('error', ({ detail }) => resolve(detail.code)),
      );
      const channel = new BroadcastChannel('lose-device');
      channel.postMessage('now');
      const code = await lost;
      channel.close();
      const capture = await window.kit.refusal(() => engine.captureFrame());
      const step = await window.kit.refusal(() => engine.step(0.1));
      const { leaks } = await engine.dispose();
      all.push({ threading, code, capture: capture.code, step: step.code, leaks: leaks.length });
    }
    const next = await createEngine(window.kit.view, { background: '#0f0' });
    await next.step(0);
    const pixel = window.kit.pixel(await next.captureFrame(), 64, 64);
    await next.dispose();
    return { all, pixel };
  });
  for (const result of results.all) {
    expect(result).toMatchObject({ code: 'device-lost', capture: 'device-lost', step: 'device-lost' });
  }
  expect(results.pixel).toEqual([0, 255, 0, 255]);
});
