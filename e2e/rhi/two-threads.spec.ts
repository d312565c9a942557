// The reports that the recording thread receives when the executing worker ends, or has no GPU. Browsers report
// a worker's end by a lock, which unit tests do not have.
import { expect, test } from '../fixtures.js';

for (const isolation of ['isolated', 'plain'] as const) {
  test(`a terminated worker leaves no promise pending, ${isolation}`, async ({
    page,
    isolatedURL,
    plainURL,
  }) => {
    await page.goto(`${isolation === 'isolated' ? isolatedURL : plainURL}/e2e/rhi/guide.html`);
    const heard = await page.evaluate(async () => {
      const { connectRhi } = (await import('/dist/rhi.js' as string)) as typeof import('fencepost/rhi');
      const worker = new Worker('/e2e/rhi/serve-worker.ts', { type: 'module' });
      const { port1, port2 } = new MessageChannel();
      worker.postMessage({ port: port2, hasGpu: true }, [port2]);
      const errors: string[] = [];
      const codeOf = (wait: Promise<unknown>) =>
        wait.then(
          () => 'none',
          ({ code }) => code,
        );
      const rhi = await connectRhi(port1, {
        onError: (error) => errors.push((error as { code: string }).code),
      });
      rhi.context.beginFrame(0);
      const open = codeOf(rhi.whenCompleted(0)); // the frame has not ended yet
      worker.terminate();
      const first = await open;
      const report = await rhi.dispose();
      return { first, errors, leaks: report.leaks, second: (await rhi.dispose()).leaks };
    });
    expect(heard).toEqual({
      first: 'rhi-thread-gone',
      errors: ['rhi-thread-gone'],
      leaks: [],
      second: [],
    });
  });
}

test('connectRhi rejects with the class and code of openDevice’s error in the worker', async ({ page }) => {
  await page.goto('/e2e/rhi/guide.html');
  const error = await page.evaluate(async () => {
    const { connectRhi } = (await import('/dist/rhi.js' as string)) as typeof import('fencepost/rhi');
    const worker = new Worker('/e2e/rhi/serve-worker.ts', { type: 'module' });
    const { port1, port2 } = new MessageChannel();
    worker.postMessage({ port: port2, hasGpu: false }, [port2]);
    return connectRhi(port1).then(
      () => null,
      ({ name, code }) => ({ name, code }),
    );
  });
  expect(error).toEqual({ name: 'PlatformError', code: 'webgpu-missing' });
});
