// The basis of the other end-to-end tests: errors of a page make a test fail. (global-setup.ts has already checked that
// the browser renders.)
import { expect, test } from './fixtures.js';

test('errors of the page, its workers and the GPU are noticed', async ({
  page,
  expectErrors,
  pageErrors,
}) => {
  expectErrors(/./);
  await page.goto('/e2e/pages/blank.html');
  await page.evaluate(() =>
    setTimeout(() => {
      throw new Error('thrown by the page');
    }),
  );
  await expect.poll(() => pageErrors.join()).toContain('thrown by the page');

  await page.evaluate(() => {
    const source = 'console.error("logged by a worker"); throw new Error("thrown by a worker")';
    new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })), { type: 'module' });
  });
  await expect.poll(() => pageErrors.join()).toContain('logged by a worker');
  await expect.poll(() => pageErrors.join()).toContain('thrown by a worker');

  await page.evaluate(async () => {
    const adapter = await navigator.gpu.requestAdapter();
    const device = await adapter!.requestDevice();
    device.createBuffer({ label: 'buffer of the page', size: 4, usage: 0xffff });
    await device.queue.onSubmittedWorkDone();
  });
  await expect.poll(() => pageErrors.join()).toContain('buffer of the page');

  await page.evaluate(() => {
    const source = `(async () => {
      const device = await (await navigator.gpu.requestAdapter()).requestDevice();
      device.createBuffer({ label: 'buffer of a worker', size: 4, usage: 0xffff });
      await device.queue.onSubmittedWorkDone();
    })()`;
    new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })), { type: 'module' });
  });
  await expect.poll(() => pageErrors.join()).toContain('buffer of a worker');
});
