/**
 * Pages that the tests of a Playwright worker use one after the other. Most tests only open a document, run code in it
 * and read its results. A browser context and renderer processes for each test would cost as much as the test itself.
 *
 *   test 1   goto engine.html ─ evaluate … ┐
 *   test 2                                 └ goto engine.html ─ evaluate … ┐
 *   test 3                                                                 └ …
 *
 * Every test has its own document, workers and GPU device. They end when the next test opens its document.
 * Before a test has opened a document, it can't reach the previous document, and receives no errors of that
 * document. Init scripts, routes and listeners are removed when their test ends. Everything else that outlives
 * a document closes the page, and the next test gets a fresh context. Examples are calls that page-turn.ts does
 * not list (input, clocks, sessions, further pages), storage, an error, and a failed test.
 * FENCEPOST_FRESH_PAGES=1 gives every test a fresh context.
 *
 * A page that navigates between isolated and non-isolated documents gets a new renderer process. So each server has its
 * own page. The page that is not in use waits with a blank document:
 *
 *   isolated   test 1 ─ test 2 ┬ blank …………………… ┬ test 4
 *   plain                      └ test 3 ─ blank ┘
 */
import type { Browser, BrowserContext, Frame, Page } from '@playwright/test';
import { MAX_ANSWER_TIME, PageTurn } from './page-turn.js';

/** Receives the reports of a page and its context, for the test that uses the page. */
export type Report = (text: string) => void;
type Watch = (context: BrowserContext, report: Report) => void;

/** The pages of one Playwright worker. */
export class HandedOnPages {
  readonly #browser: Browser;
  readonly #watch: Watch;
  readonly #origins: readonly string[];
  /** The options of all open contexts, as a string. */
  #key = '';
  /** The context that the last test used. */
  #last: BrowserContext | null = null;
  /** The context of the other server, whose page shows a blank document. */
  #waiting: BrowserContext | null = null;
  /** The report function of the current test, set once it has opened a document. */
  #report: Report | null = null;
  #stopWaiting = (): void => {};

  /**
   * Creates the pages of a worker.
   * @param watch called with every new context
   * @param origins origins at which tests open pages; relative addresses use the first origin
   */
  constructor(browser: Browser, watch: Watch, origins: readonly string[]) {
    this.#browser = browser;
    this.#watch = watch;
    this.#origins = origins;
  }

  /**
   * Returns the context and page for the next test.
   * @param key the context's options as a string; a changed key closes all contexts
   */
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

  /**
   * Returns the context for the address's server. If `context` belongs to the other server, that context waits
   * with a blank page.
   */
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

  /**
   * Sets the receiver of reports once the test has opened its document. Earlier reports belong to the previous
   * test.
   */
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

/**
 * Replaces the page's document by a blank one of the same server. The renderer process stays, and everything
 * else of the old document ends.
 */
async function endDocument(page: Page): Promise<boolean> {
  try {
    await page.goto(new URL('/e2e/pages/blank.html', page.url()).href, { timeout: MAX_ANSWER_TIME });
    return true;
  } catch {
    return false;
  }
}
