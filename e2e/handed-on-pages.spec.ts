/** What the other tests rely on: a page that is handed on keeps nothing, and one that would keep something is not. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.js';
import { HandedOnPages } from './handed-on-pages.js';

test('a page is handed on without anything of its last test, or not at all', async ({
  browser,
  isolatedURL,
}) => {
  test.skip(Boolean(process.env.FENCEPOST_FRESH_PAGES), 'no page is handed on');
  const pages = new HandedOnPages(browser, () => {}, [isolatedURL]);
  const contexts: unknown[] = [];
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
      // Whatever the turn before did, the document is a new one.
      expect(
        await page.evaluate(() => ({
          value: Object.hasOwn(window, 'left'),
          elements: document.body.childElementCount,
          storage: localStorage.length + sessionStorage.length,
          name: window.name,
        })),
      ).toEqual({ value: false, elements: 0, storage: 0, name: '' });
      expect(page.workers()).toEqual([]);
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
    routes: await isKept((page) => page.route('**/*.js', (route) => route.abort())),
    storage: await isKept((page) => page.evaluate(() => localStorage.setItem('left', 'true'))),
    names: await isKept((page) => page.evaluate(() => void Object.assign(window, { name: 'left' }))),
    pages: await isKept((page) => page.evaluate(() => void window.open('/e2e/pages/blank.html'))),
    input: await isKept((page) => page.mouse.move(10, 10)),
  };
  expect(kept).toEqual({
    documents: true,
    initScripts: false,
    contextScripts: false,
    routes: false,
    storage: false,
    names: false,
    pages: false,
    input: false,
  });
});
