/**
 * Pages that the tests of a Playwright worker use one after the other. Most tests only open a document, run code in it
 * and read what it returns; a browser context and renderer processes for each of them cost as much as the test itself.
 *
 *   test 1   goto engine.html ─ evaluate … ┐
 *   test 2                                 └ goto engine.html ─ evaluate … ┐
 *   test 3                                                                 └ …
 *
 * Every test gets a document, workers and a GPU device of its own, as these end with the document: when the next test
 * opens its own. Until then a test can't reach the document, and hears of no errors. Init scripts, routes and listeners
 * are taken away when their test ends. Whatever else outlives a document ends the page's turns instead, and the next
 * test gets a fresh context: a call that is not in the lists of page-turn.ts (input, clocks, sessions, further pages),
 * storage, an error, a failed test. FENCEPOST_FRESH_PAGES=1 gives every test a fresh context.
 *
 * A page that goes from an isolated document to one that isn't, or back, gets a new renderer process. So there is a page for
 * each server, and the one that is not in use waits with a blank document:
 *
 *   isolated   test 1 ─ test 2 ┬ blank …………………… ┬ test 4
 *   plain                      └ test 3 ─ blank ┘
 */
import type { Browser, BrowserContext, Frame, Page } from '@playwright/test';
import { MAX_ANSWER_TIME, PageTurn } from './page-turn.js';

/** What a page and the context around it report, to the test whose turn it is. */
export type Report = (text: string) => void;
type Watch = (context: BrowserContext, report: Report) => void;

/** Of one worker. */
export class HandedOnPages {
  readonly #browser: Browser;
  readonly #watch: Watch;
  readonly #origins: readonly string[];
  /** Options of the contexts. */
  #key = '';
  /** The context of the last turn. */
  #last: BrowserContext | null = null;
  /** Its page shows a blank document of the other server. */
  #waiting: BrowserContext | null = null;
  /** Of the test whose turn it is, from the moment it has a document. */
  #report: Report | null = null;
  #stopWaiting = (): void => {};

  /** @param watch told of every new context @param origins where tests open their pages; addresses without one are of the first */
  constructor(browser: Browser, watch: Watch, origins: readonly string[]) {
    this.#browser = browser;
    this.#watch = watch;
    this.#origins = origins;
  }

  /** @param key options of the context: another gets a fresh one */
  async take(key: string, report: Report): Promise<PageTurn> {
    if (key !== this.#key) await this.#closeAll();
    this.#key = key;
    const context = this.#last ?? this.#waiting ?? (await this.#open());
    if (context === this.#waiting) this.#waiting = null;
    this.#last = null;
    this.#reportAfterGoing(context, report);
    return new PageTurn(context, (address) => this.#contextFor(address, context, report));
  }

  async giveBack(turn: PageTurn): Promise<void> {
    this.#stopWaiting();
    this.#report = null;
    if (!process.env.FENCEPOST_FRESH_PAGES && (await turn.clear(this.#origins))) this.#last = turn.ownContext;
    else await turn.ownContext.close();
  }

  /** The context whose page shows documents of the address's server; `context` waits if that is another. */
  async #contextFor(address: string, context: BrowserContext, report: Report): Promise<BrowserContext> {
    const { origin } = new URL(address, this.#origins[0]);
    const page = context.pages()[0];
    if (!page || !this.#origins.includes(origin) || new URL(page.url()).origin === origin) return context;
    this.#stopWaiting();
    const other = this.#waiting ?? (await this.#open());
    this.#waiting = (await endDocument(page)) ? context : null;
    if (!this.#waiting) await context.close();
    this.#reportAfterGoing(other, report);
    return other;
  }

  async #open(): Promise<BrowserContext> {
    const context = await this.#browser.newContext();
    this.#watch(context, (text) => this.#report?.(text));
    return context;
  }

  async #closeAll(): Promise<void> {
    await this.#last?.close();
    await this.#waiting?.close();
    this.#last = this.#waiting = null;
  }

  /** What a document reports before the test has opened its own is of the test before. */
  #reportAfterGoing(context: BrowserContext, report: Report): void {
    const [page] = context.pages();
    if (!page) {
      this.#report = report;
      return;
    }
    const onNavigated = (frame: Frame): void => {
      if (frame !== page.mainFrame()) return;
      this.#report = report;
      this.#stopWaiting();
    };
    this.#stopWaiting = () => void page.off('framenavigated', onNavigated);
    page.on('framenavigated', onNavigated);
  }
}

/** Puts a blank document of the same server in the place of the page's, so that its process stays and all else ends. */
async function endDocument(page: Page): Promise<boolean> {
  try {
    await page.goto(new URL('/e2e/pages/blank.html', page.url()).href, { timeout: MAX_ANSWER_TIME });
    return true;
  } catch {
    return false;
  }
}
