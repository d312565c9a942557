/**
 * Pages that the tests of a Playwright worker use one after the other. Most tests only open a document, run code in it
 * and read what it returns; a browser context and renderer processes for each of them cost as much as the test itself.
 *
 *   test 1   goto engine.html ─ evaluate … ─ goto blank.html ┐
 *   test 2                                                   └ goto engine.html ─ evaluate … ─ goto blank.html ┐ …
 *
 * Every test gets a document, workers and a GPU device of its own, as these end with the document. Whatever outlives a
 * document ends the page's turns instead, and the next test gets a fresh context: a call that is not in the lists below
 * (init scripts, routes, input, listeners, sessions, further pages), storage, an error, a failed test.
 * FENCEPOST_FRESH_PAGES=1 gives every test a fresh context.
 */
import type { Browser, BrowserContext, Page } from '@playwright/test';

/** Members of a page that change nothing beyond its document. */
const HARMLESS_OF_PAGE = new Set<string | symbol>([
  'context',
  'evaluate',
  'evaluateHandle',
  'goto',
  'isClosed',
  'screenshot',
  'url',
  'viewportSize',
  'waitForFunction',
  'waitForSelector',
  'workers',
]);
const HARMLESS_OF_CONTEXT = new Set<string | symbol>(['pages', 'unrouteAll']);

/** How long a page may take to leave its document, in milliseconds; one whose thread hangs never does. */
const MAX_LEAVING_TIME = 10_000;

/** What a page and the context around it report, to the test whose turn it is. */
export type Report = (text: string) => void;
type Watch = (context: BrowserContext, report: Report) => void;

/** A context for one test: fresh, or with the page of the tests before. */
export class PageTurn {
  /** The context as the test sees it. */
  readonly context: BrowserContext;
  #page: Page | null = null;
  #isHandedOn = true;

  constructor(
    readonly key: string,
    readonly ownContext: BrowserContext,
  ) {
    this.context = guard(ownContext, HARMLESS_OF_CONTEXT, () => this.endAfterThis());
  }

  /** The page as the test sees it. */
  async page(): Promise<Page> {
    if (this.#page) return this.#page;
    const page = this.ownContext.pages()[0] ?? (await this.ownContext.newPage());
    this.#page = guard(page, HARMLESS_OF_PAGE, () => this.endAfterThis(), { context: () => this.context });
    return this.#page;
  }

  /** The page's last turn: the next test gets a fresh context. */
  endAfterThis(): void {
    this.#isHandedOn = false;
  }

  /** Leaves the test's document. @returns whether nothing of it remains */
  async leave(blankPages: readonly string[]): Promise<boolean> {
    const [page] = this.ownContext.pages();
    if (!this.#isHandedOn || !page) return this.#isHandedOn;
    // Of the same origin: the document that follows then starts in a process that runs already.
    const blank = blankPages.find((url) => new URL(url).origin === new URL(page.url()).origin);
    if (!blank) return false;
    try {
      await page.goto(blank, { timeout: MAX_LEAVING_TIME });
      const isEmpty = await page.evaluate(
        () => `${window.name}${document.cookie}` === '' && localStorage.length + sessionStorage.length === 0,
      );
      return isEmpty && this.ownContext.pages().length === 1;
    } catch {
      return false;
    }
  }
}

/** Of one worker. */
export class HandedOnPages {
  readonly #browser: Browser;
  readonly #watch: Watch;
  readonly #blankPages: readonly string[];
  #idle: { readonly key: string; readonly context: BrowserContext } | null = null;
  /** Of the test whose turn it is. */
  #report: Report | null = null;

  /** @param watch told of every new context @param origins where a blank page is served */
  constructor(browser: Browser, watch: Watch, origins: readonly string[]) {
    this.#browser = browser;
    this.#watch = watch;
    this.#blankPages = origins.map((origin) => `${origin}/e2e/pages/blank.html`);
  }

  /** @param key options of the context: another gets a fresh one */
  async take(key: string, report: Report): Promise<PageTurn> {
    const idle = this.#idle;
    this.#idle = null;
    this.#report = report;
    if (idle?.key === key) return new PageTurn(key, idle.context);
    await idle?.context.close();
    const context = await this.#browser.newContext();
    this.#watch(context, (text) => this.#report?.(text));
    return new PageTurn(key, context);
  }

  async giveBack(turn: PageTurn): Promise<void> {
    this.#report = null;
    if (!process.env.FENCEPOST_FRESH_PAGES && (await turn.leave(this.#blankPages))) {
      this.#idle = { key: turn.key, context: turn.ownContext };
    } else await turn.ownContext.close();
  }
}

/** `target`, with a call before whatever is not in `harmless` is used. */
function guard<Target extends object>(
  target: Target,
  harmless: ReadonlySet<string | symbol>,
  onOther: () => void,
  replaced: { readonly [name: string]: unknown } = {},
): Target {
  return new Proxy(target, {
    get(_, name) {
      if (Object.hasOwn(replaced, name)) return replaced[String(name)];
      if (!harmless.has(name) && !isInternal(name)) onOther();
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** What Playwright itself reads of an object that it is handed, and `await` of any. */
function isInternal(name: string | symbol): boolean {
  return typeof name === 'symbol' || name.startsWith('_') || name === 'constructor' || name === 'then';
}
