/**
 * Tests of the fixture that hands pages on: a page keeps nothing of the previous test, and is closed if it
 * would keep something.
 */
import type { BrowserContext, Page } from '@playwright/test';
import { expect, test } from './fixtures.js';
import { HandedOnPages, type Report } from './handed-on-pages.js';

test('a page is handed on without traces of its last test, or closed', async ({ browser, isolatedURL }) => {
  test.skip(Boolean(process.env.FENCEPOST_FRESH_PAGES), 'no page is handed on');
  const pages = new HandedOnPages(browser, () => {}, [isolatedURL]);
  const contexts: unknown[] = [];
  let heard = 0;
  const takeTurn = async (use: (page: Page) => Promise<unknown>): Promise<void> => {
    const turn = await pages.take('', () => {});
    contexts.push(turn.ownContext);
    const page = await turn.page();
    await page.goto(`${isolatedURL}/e2e/pages/blank.html`);
    await use(page);
    await pages.giveBack(turn);
  };
  const isKept = async (use: (page: Page) => Promise<unknown>): Promise<boolean> => {
    await takeTurn(use);
    await takeTurn(async (page) => {
      // The document is new, independent of the previous test.
      expect(
        await page.evaluate(() => ({
          value: Object.hasOwn(window, 'left'),
          elements: document.body.childElementCount,
          storage: localStorage.length + sessionStorage.length,
          name: window.name,
        })),
      ).toEqual({ value: false, elements: 0, storage: 0, name: '' });
      expect(await readScripts(page)).toEqual({ fetched: false, imported: false, byWorker: false });
      await expect.poll(() => page.workers()).toEqual([]);
      await page.evaluate(() => console.log('nobody listens'));
      expect(page.context().pages()).toHaveLength(1);
    });
    return contexts.at(-1) === contexts.at(-2);
  };

  const kept = {
    documents: await isKept((page) =>
      page.evaluate(() => {
        document.body.append(document.createElement('p'));
        const script = URL.createObjectURL(new Blob(['for (;;);'], { type: 'text/javascript' }));
        Object.assign(window, { left: new Worker(script) });
      }),
    ),
    initScripts: await isKept((page) => page.addInitScript('window.left = true')),
    contextScripts: await isKept((page) => page.context().addInitScript('window.left = true')),
    listeners: await isKept((page) => Promise.resolve(void page.on('console', () => heard++))),
    routes: await isKept(async (page) => {
      await page.route(`**${SCRIPT}`, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: `globalThis.isRouted = true;\n${await response.text()}` });
      });
      expect(await readScripts(page)).toEqual({ fetched: true, imported: true, byWorker: true });
    }),
    contextRoutes: await isKept((page) => page.context().route('**/*.js', (route) => route.abort())),
    storage: await isKept((page) => page.evaluate(() => localStorage.setItem('left', 'true'))),
    names: await isKept((page) => page.evaluate(() => void Object.assign(window, { name: 'left' }))),
    pages: await isKept((page) => page.evaluate(() => void window.open('/e2e/pages/blank.html'))),
    input: await isKept((page) => page.mouse.move(10, 10)),
  };
  expect(kept).toEqual({
    documents: true,
    initScripts: true,
    contextScripts: true,
    listeners: true,
    routes: true,
    contextRoutes: true,
    storage: false,
    names: false,
    pages: false,
    input: false,
  });
  expect(heard).toBe(0);
});

test('reports of the previous document do not reach the next test, nor can that test reach the document', async ({
  browser,
  isolatedURL,
}) => {
  test.skip(Boolean(process.env.FENCEPOST_FRESH_PAGES), 'no page is handed on');
  const blank = `${isolatedURL}/e2e/pages/blank.html`;
  const watch = (context: BrowserContext, report: Report) =>
    void context.on('console', (message) => report(message.text()));
  const pages = new HandedOnPages(browser, watch, [isolatedURL]);
  const reports: string[][] = [[], [], []];
  const take = (index: number) => pages.take('', (text) => void reports[index]!.push(text));

  const first = await take(0);
  const page = await first.page();
  await page.goto(blank);
  const handle = await first.ownContext.pages()[0]!.evaluateHandle(() => (text: string) => console.log(text));
  await handle.evaluate((log) => log('of the first'));
  await pages.giveBack(first);
  await handle.evaluate((log) => log('between'));

  const second = await take(1);
  expect(second.ownContext).toBe(first.ownContext);
  await handle.evaluate((log) => log('late'));
  const secondPage = await second.page();
  expect(() => secondPage.evaluate(() => 1)).toThrow(
    /no document yet\. Call page\.goto before page\.evaluate/,
  );
  await secondPage.goto(blank);
  await secondPage.evaluate(() => console.log('of the second'));
  await pages.giveBack(second);

  // A test that opens nothing still ends the previous document.
  await secondPage.evaluate(() => void Object.assign(window, { left: true }));
  await pages.giveBack(await take(2));
  expect(await secondPage.evaluate(() => Object.hasOwn(window, 'left'))).toBe(false);
  expect(reports).toEqual([['of the first'], ['of the second'], []]);
  await second.ownContext.close();
});

test('each server has its own page; the waiting page runs nothing and reports nothing', async ({
  browser,
  isolatedURL,
  plainURL,
}) => {
  test.skip(Boolean(process.env.FENCEPOST_FRESH_PAGES), 'no page is handed on');
  const watch = (context: BrowserContext, report: Report) =>
    void context.on('console', (message) => report(message.text()));
  const pages = new HandedOnPages(browser, watch, [isolatedURL, plainURL]);
  const reports: string[] = [];
  const takeTurn = async (address: string, use?: (page: Page) => Promise<unknown>) => {
    const turn = await pages.take('', (text) => void reports.push(`${address}: ${text}`));
    const page = await turn.page();
    await page.goto(address);
    await use?.(page);
    await pages.giveBack(turn);
    return turn.ownContext;
  };
  const blank = '/e2e/pages/blank.html';

  const isolated = await takeTurn(blank, (page) =>
    page.evaluate(() => {
      const script = 'setInterval(() => postMessage(0), 1)';
      const worker = new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })));
      worker.onmessage = () => console.log('ticks');
      return new Promise((resolve) => worker.addEventListener('message', resolve, { once: true }));
    }),
  );
  const plain = await takeTurn(`${plainURL}${blank}`, async (page) => {
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
    const waiting = isolated.pages()[0]!;
    expect(waiting.url()).toBe(`${isolatedURL}${blank}`);
    await expect.poll(() => waiting.workers()).toEqual([]);
    await page.evaluate(() => console.log('of the second'));
  });
  expect(plain).not.toBe(isolated);
  expect(
    await takeTurn(`${isolatedURL}${blank}`, async (page) => {
      expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
      await page.evaluate(() => console.log('of the third'));
    }),
  ).toBe(isolated);
  expect(reports.filter((text) => !text.endsWith('ticks'))).toEqual([
    `${plainURL}${blank}: of the second`,
    `${isolatedURL}${blank}: of the third`,
  ]);
  expect(reports.filter((text) => text.startsWith('http') && text.endsWith('ticks'))).toEqual([]);

  // An init script that a test adds before it opens a document applies on either server's page.
  const turn = await pages.take('', () => {});
  const page = await turn.page();
  await page.addInitScript('window.isPut = true');
  await page.goto(`${plainURL}${blank}`);
  expect(await page.evaluate(() => Object.hasOwn(window, 'isPut'))).toBe(true);
  await pages.giveBack(turn);
  expect(turn.ownContext).toBe(isolated);

  // When a page can't be handed on, only that page closes. The waiting page is used next.
  const last = await pages.take('', () => {});
  await (await last.page()).mouse.move(10, 10);
  await pages.giveBack(last);
  expect(await takeTurn(`${plainURL}${blank}`)).toBe(plain);
  await plain.close();
});

/** A script that browsers keep in their caches for an hour. */
const SCRIPT = '/dist/math.js';

/** Returns which ways of loading the script receive the version that a route has changed. */
function readScripts(page: Page): Promise<{ fetched: boolean; imported: boolean; byWorker: boolean }> {
  return page.evaluate(async (path) => {
    const address = new URL(path, location.href).href;
    const text = await (await fetch(address, { cache: 'force-cache' })).text();
    await import(address);
    const code = `await import('${address}'); postMessage(Object.hasOwn(globalThis, 'isRouted'));`;
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })), {
      type: 'module',
    });
    const byWorker = await new Promise<boolean>((resolve) => {
      worker.onmessage = ({ data }) => resolve(data);
    });
    worker.terminate();
    return { fetched: text.includes('isRouted'), imported: Object.hasOwn(window, 'isRouted'), byWorker };
  }, SCRIPT);
}
