/** Pages with a Content-Security-Policy: trusted types, and no workers. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.js';
import { openEnginePage } from './open-engine-page.js';
import { referenceGlb } from './reference-glb.js';

async function openWithPolicy(page: Page, origin: string, policy: string): Promise<void> {
  await page.route('**/e2e/pages/engine.html', async (route) => {
    const response = await route.fetch();
    const headers = { ...response.headers(), 'content-security-policy': policy };
    await route.fulfill({ response, headers });
  });
  await openEnginePage(page, origin);
}

/** Loads a model into an engine of each mode, shows the timeline, and gives back how many actors there are. */
function useEngine(
  page: Page,
  threading: 'single' | 'render' | 'render+rhi',
  base64: string,
): Promise<number> {
  return page.evaluate(
    async ({ threading, base64 }) => {
      const engine = await window.fencepost.createEngine(window.kit.view, { threading });
      engine.world.addCamera({ position: [0, 0, 4] });
      const { actors } = await engine.world.load(window.kit.bytes(base64));
      await engine.step(0);
      await engine.showTimeline();
      await engine.dispose();
      return actors.length;
    },
    { threading, base64 },
  );
}

test('a page that requires trusted types allows the policy fencepost', async ({ page, plainURL }) => {
  const policy = "require-trusted-types-for 'script'; trusted-types fencepost; style-src 'unsafe-inline'";
  await openWithPolicy(page, plainURL, policy);
  const base64 = await referenceGlb();
  for (const threading of ['single', 'render', 'render+rhi'] as const)
    expect(await useEngine(page, threading, base64)).toBeGreaterThan(0);
});

test('a page that allows no policy of this name is told which', async ({ page, plainURL, expectErrors }) => {
  expectErrors(/TrustedTypePolicy named 'fencepost'/);
  await openWithPolicy(page, plainURL, "require-trusted-types-for 'script'; trusted-types 'none'");
  const error = await page.evaluate(() =>
    window.kit.refusal(() => window.fencepost.createEngine(window.kit.view)),
  );
  expect(error).toMatchObject({ name: 'ThreadError', code: 'worker-failed-to-start' });
  expect(error.message).toContain('trusted-types fencepost');
});

test('a page that forbids workers is told the directive; single mode loads models without one', async ({
  page,
  plainURL,
  expectErrors,
}) => {
  expectErrors(/worker-src 'none'/);
  await openWithPolicy(page, plainURL, "worker-src 'none'");
  for (const threading of ['render', 'render+rhi'] as const) {
    const error = await page.evaluate(
      (threading) => window.kit.refusal(() => window.fencepost.createEngine(window.kit.view, { threading })),
      threading,
    );
    expect(error).toMatchObject({ name: 'ThreadError', code: 'worker-failed-to-start' });
    expect(error.message).toContain("worker-src 'self'");
  }
  const base64 = await referenceGlb();
  expect(await useEngine(page, 'single', base64)).toBeGreaterThan(0);
});
