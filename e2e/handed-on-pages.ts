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
 * test gets a fresh context: a call that is not in the lists below (input, clocks, sessions, further pages), storage, an
 * error, a failed test. FENCEPOST_FRESH_PAGES=1 gives every test a fresh context.
 */
import type { Browser, BrowserContext, Frame, Page } from '@playwright/test';

/** Members of a page that change nothing beyond its document, or nothing that can't be undone. */
const HARMLESS_OF_PAGE = new Set<string | symbol>([
  'addInitScript',
  'context',
  'evaluate',
  'evaluateHandle',
  'goto',
  'isClosed',
  'on',
  'route',
  'screenshot',
  'url',
  'viewportSize',
  'waitForFunction',
  'waitForSelector',
  'workers',
]);
const HARMLESS_OF_CONTEXT = new Set<string | symbol>(['addInitScript', 'on', 'pages', 'route', 'unrouteAll']);

/** Of these, what looks at the document: it may be that of the test before until the test has opened its own. */
const OF_DOCUMENT = new Set<string | symbol>([
  'evaluate',
  'evaluateHandle',
  'screenshot',
  'url',
  'waitForFunction',
  'waitForSelector',
  'workers',
]);

/** How long a page may take to answer, in milliseconds; one whose thread hangs never does. */
const MAX_ANSWER_TIME = 10_000;

/** What a page and the context around it report, to the test whose turn it is. */
export type Report = (text: string) => void;
type Watch = (context: BrowserContext, report: Report) => void;

/** A context for one test: fresh, or with the page of the tests before. */
export class PageTurn {
  /** The context as the test sees it. */
  readonly context: BrowserContext;
  #page: Page | null = null;
  /** The page shows nothing, or what the test has opened. */
  #hasDocument: boolean;
  #isHandedOn = true;
  /** Takes away what the test has added to its page and context. */
  readonly #undo: (() => unknown)[] = [];

  constructor(
    readonly key: string,
    readonly ownContext: BrowserContext,
  ) {
    this.#hasDocument = ownContext.pages().length === 0;
    const onUse = (name: string | symbol): void => {
      if (!HARMLESS_OF_CONTEXT.has(name)) this.endAfterThis();
    };
    this.context = guard(ownContext, onUse, this.#undoable(ownContext));
  }

  /** The page as the test sees it. */
  async page(): Promise<Page> {
    if (this.#page) return this.#page;
    const page = this.ownContext.pages()[0] ?? (await this.ownContext.newPage());
    const onUse = (name: string | symbol): void => {
      if (name === 'goto') this.#hasDocument = true;
      else if (!this.#hasDocument && OF_DOCUMENT.has(name))
        throw new Error(`The test has opened no document yet: page.goto comes before page.${String(name)}.`);
      if (!HARMLESS_OF_PAGE.has(name)) this.endAfterThis();
    };
    this.#page = guard(page, onUse, { ...this.#undoable(page), context: () => this.context });
    return this.#page;
  }

  /** The page's last turn: the next test gets a fresh context. */
  endAfterThis(): void {
    this.#isHandedOn = false;
  }

  /** Takes out what the test put in. @returns whether nothing of it remains but the document */
  async clear(origins: readonly string[]): Promise<boolean> {
    const [page] = this.ownContext.pages();
    if (!this.#isHandedOn || !page) return this.#isHandedOn;
    const origin = origins.find((each) => page.url().startsWith(`${each}/`));
    if (!origin) return false;
    try {
      for (const undo of this.#undo.splice(0)) await undo();
      // A test that opened nothing leaves the document of the one before it, which has run for long enough.
      if (!this.#hasDocument) await page.goto(`${origin}/e2e/pages/blank.html`, { timeout: MAX_ANSWER_TIME });
      const isEmpty = await within(
        MAX_ANSWER_TIME,
        page.evaluate(
          () =>
            `${window.name}${document.cookie}` === '' && localStorage.length + sessionStorage.length === 0,
        ),
      );
      return isEmpty && this.ownContext.pages().length === 1 && !(await hasPopups(page));
    } catch {
      return false;
    }
  }

  /** Members of a page or context whose effects are taken away when the turn ends. */
  #undoable(target: Page | BrowserContext): { readonly [name: string]: unknown } {
    const { addInitScript, on, off, route, unrouteAll } = target as unknown as Record<string, Member>;
    const call = (member: Member | undefined, ...parameters: unknown[]) => member?.apply(target, parameters);
    return {
      addInitScript: async (...parameters: unknown[]) => {
        const script = (await call(addInitScript, ...parameters)) as { dispose(): Promise<void> };
        this.#undo.push(() => script.dispose());
        return script;
      },
      route: async (...parameters: unknown[]) => {
        // A worker that was ended early may still be fetching its script: nobody waits for that any more.
        this.#undo.push(() => call(unrouteAll, { behavior: 'ignoreErrors' }));
        return call(route, ...parameters);
      },
      on: (...parameters: unknown[]) => {
        this.#undo.push(() => call(off, ...parameters));
        return call(on, ...parameters);
      },
    };
  }
}

type Member = (...parameters: unknown[]) => unknown;

/** The browser knows of pages that were opened from others before Playwright hands them to the context. */
async function hasPopups(page: Page): Promise<boolean> {
  const session = await page.context().browser()?.newBrowserCDPSession();
  const { targetInfos = [] } = (await session?.send('Target.getTargets')) ?? {};
  await session?.detach();
  return targetInfos.some(({ type, openerId }) => type === 'page' && openerId !== undefined);
}

/** Of one worker. */
export class HandedOnPages {
  readonly #browser: Browser;
  readonly #watch: Watch;
  readonly #origins: readonly string[];
  #idle: { readonly key: string; readonly context: BrowserContext } | null = null;
  /** Of the test whose turn it is, from the moment it has a document. */
  #report: Report | null = null;
  #stopWaiting = (): void => {};

  /** @param watch told of every new context @param origins where tests open their pages */
  constructor(browser: Browser, watch: Watch, origins: readonly string[]) {
    this.#browser = browser;
    this.#watch = watch;
    this.#origins = origins;
  }

  /** @param key options of the context: another gets a fresh one */
  async take(key: string, report: Report): Promise<PageTurn> {
    const idle = this.#idle;
    this.#idle = null;
    if (idle?.key === key) {
      this.#reportAfterGoing(idle.context.pages()[0], report);
      return new PageTurn(key, idle.context);
    }
    await idle?.context.close();
    const context = await this.#browser.newContext();
    this.#watch(context, (text) => this.#report?.(text));
    this.#report = report;
    return new PageTurn(key, context);
  }

  async giveBack(turn: PageTurn): Promise<void> {
    this.#stopWaiting();
    this.#report = null;
    if (!process.env.FENCEPOST_FRESH_PAGES && (await turn.clear(this.#origins))) {
      this.#idle = { key: turn.key, context: turn.ownContext };
    } else await turn.ownContext.close();
  }

  /** What a document reports before the test has opened its own is of the test before. */
  #reportAfterGoing(page: Page | undefined, report: Report): void {
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

/** `target`, with a call before any of its members is used. */
function guard<Target extends object>(
  target: Target,
  onUse: (name: string | symbol) => void,
  replaced: { readonly [name: string]: unknown },
): Target {
  return new Proxy(target, {
    get(_, name) {
      if (!isInternal(name)) onUse(name);
      if (Object.hasOwn(replaced, name)) return replaced[String(name)];
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** What Playwright itself reads of an object that it is handed, and `await` of any. */
function isInternal(name: string | symbol): boolean {
  return typeof name === 'symbol' || name.startsWith('_') || name === 'constructor' || name === 'then';
}

/** What `promise` gives; rejects when that takes longer, in milliseconds. */
async function within<Value>(limit: number, promise: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${limit} ms.`)), limit);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
