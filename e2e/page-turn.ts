/**
 * Tests use one page after another. A turn is one test's use of the page. It gives the test proxies of the
 * page and its context. At the end it undoes the test's changes. After a call that can't be undone, the next
 * test gets a fresh context.
 */

import type { BrowserContext, Page } from '@playwright/test';
import { timeLimit } from '../scripts/lib/time-limits.mjs';

/** Members of a page that change only its document, or whose effects can be undone. */
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

/** Members that use the document. Until the test has opened its own, the document may be the previous test's. */
const OF_DOCUMENT = new Set<string | symbol>([
  'evaluate',
  'evaluateHandle',
  'screenshot',
  'url',
  'waitForFunction',
  'waitForSelector',
  'workers',
]);

/** Members whose use leaves the choice of the page open. The use of any other member makes it final. */
const OF_ANY_PAGE = new Set<string | symbol>(['context', 'goto', 'isClosed', 'viewportSize']);

/** The longest wait for a page's answer, in milliseconds. A page whose thread hangs never answers. */
export const MAX_ANSWER_TIME = timeLimit(10_000);

/** A context for one test: a fresh one, or one that earlier tests have used. */
export class PageTurn {
  /** The context as the test sees it. */
  readonly context: BrowserContext;
  #ownContext: BrowserContext;
  #page: Page | null = null;
  /** Whether the page shows nothing or a document of this test. */
  #hasDocument: boolean;
  /** Whether the test has used the page or the context, so that the choice of the page is final. */
  #isUsed = false;
  #isChoosing = false;
  #isHandedOn = true;
  /** Functions that remove the test's additions to its page and context. */
  readonly #undo: (() => unknown)[] = [];
  readonly #contextFor: (address: string) => Promise<BrowserContext>;

  /**
   * Creates a turn.
   * @param contextFor returns the context for the address of the first `page.goto`; called only while the
   *   choice of the page is open (see `OF_ANY_PAGE`)
   */
  constructor(context: BrowserContext, contextFor: (address: string) => Promise<BrowserContext>) {
    this.#ownContext = context;
    this.#contextFor = contextFor;
    this.#hasDocument = context.pages().length === 0;
    const onUse = (name: string | symbol): void => {
      this.#onUse(OF_ANY_PAGE.has(name), HARMLESS_OF_CONTEXT.has(name));
    };
    const own = (): BrowserContext => this.#ownContext;
    this.context = guard(own, onUse, this.#undoable(own));
  }

  get ownContext(): BrowserContext {
    return this.#ownContext;
  }

  /** Returns the page as the test sees it. */
  async page(): Promise<Page> {
    if (this.#page) return this.#page;
    if (this.#ownContext.pages().length === 0) await this.#ownContext.newPage();
    const onUse = (name: string | symbol): void => {
      if (!this.#hasDocument && OF_DOCUMENT.has(name))
        throw new Error(`The test has opened no document yet. Call page.goto before page.${String(name)}.`);
      this.#onUse(OF_ANY_PAGE.has(name), HARMLESS_OF_PAGE.has(name));
    };
    const own = (): Page => this.#ownContext.pages()[0]!;
    this.#page = guard(own, onUse, {
      ...this.#undoable(own),
      context: () => this.context,
      goto: async (...parameters: Parameters<Page['goto']>) => {
        const isFree = !this.#hasDocument && !this.#isUsed;
        this.#hasDocument = true;
        if (isFree) await this.#choosePage(parameters[0]);
        return own().goto(...parameters);
      },
    });
    return this.#page;
  }

  /** Makes this the page's last turn. The next test gets a fresh context. */
  endAfterThis(): void {
    this.#isHandedOn = false;
  }

  /**
   * Removes all that the test has added.
   * @returns whether nothing but the test's document remains
   */
  async clear(origins: readonly string[]): Promise<boolean> {
    const [page] = this.#ownContext.pages();
    if (!this.#isHandedOn || !page) return this.#isHandedOn;
    const origin = origins.find((each) => page.url().startsWith(`${each}/`));
    if (!origin) return false;
    try {
      // The limit is needed because Playwright may wait forever for a worker of a terminated worker.
      await within(MAX_ANSWER_TIME, this.#undoAll());
      // A test that opened nothing leaves the previous test's document, which ends here.
      if (!this.#hasDocument) await page.goto(`${origin}/e2e/pages/blank.html`, { timeout: MAX_ANSWER_TIME });
      const isEmpty = await within(
        MAX_ANSWER_TIME,
        page.evaluate(
          () =>
            `${window.name}${document.cookie}` === '' && localStorage.length + sessionStorage.length === 0,
        ),
      );
      return isEmpty && this.#ownContext.pages().length === 1 && !(await hasPopups(page));
    } catch {
      return false;
    }
  }

  async #choosePage(address: string): Promise<void> {
    this.#isChoosing = true;
    this.#ownContext = await this.#contextFor(address);
    if (this.#ownContext.pages().length === 0) await this.#ownContext.newPage();
    this.#isChoosing = false;
  }

  #onUse(isOfAnyPage: boolean, isHarmless: boolean): void {
    if (this.#isChoosing)
      throw new Error(
        "The test's first page.goto chooses the page, and has not finished yet. Await it before you use the page.",
      );
    if (!isOfAnyPage) this.#isUsed = true;
    if (!isHarmless) this.endAfterThis();
  }

  async #undoAll(): Promise<void> {
    for (const undo of this.#undo.splice(0)) await undo();
  }

  /** Returns members of a page or context whose effects are undone when the turn ends. */
  #undoable(own: () => Page | BrowserContext): { readonly [name: string]: unknown } {
    const call = (name: string, ...parameters: unknown[]): unknown => {
      const target = own() as unknown as Record<string, (...parameters: unknown[]) => unknown>;
      return target[name]?.(...parameters);
    };
    return {
      addInitScript: async (...parameters: unknown[]) => {
        const script = (await call('addInitScript', ...parameters)) as { dispose(): Promise<void> };
        this.#undo.push(() => script.dispose());
        return script;
      },
      route: async (...parameters: unknown[]) => {
        // A terminated worker may still be fetching its script through a route. That error is ignored.
        this.#undo.push(() => call('unrouteAll', { behavior: 'ignoreErrors' }));
        return call('route', ...parameters);
      },
      on: (...parameters: unknown[]) => {
        this.#undo.push(() => call('off', ...parameters));
        return call('on', ...parameters);
      },
    };
  }
}

/**
 * Returns whether the page has opened others. The browser knows them before Playwright adds them to the
 * context.
 */
async function hasPopups(page: Page): Promise<boolean> {
  const session = await page.context().browser()?.newBrowserCDPSession();
  const { targetInfos = [] } = (await session?.send('Target.getTargets')) ?? {};
  await session?.detach();
  return targetInfos.some(({ type, openerId }) => type === 'page' && openerId !== undefined);
}

/**
 * Returns a proxy of the result of `own`. The proxy calls `onUse` before any member is used, and has the
 * members of `replaced` in place of the original ones.
 */
function guard<Target extends object>(
  own: () => Target,
  onUse: (name: string | symbol) => void,
  replaced: { readonly [name: string]: unknown },
): Target {
  return new Proxy(own(), {
    get(_, name) {
      if (!isInternal(name)) onUse(name);
      if (Object.hasOwn(replaced, name)) return replaced[String(name)];
      const target = own();
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Returns whether Playwright itself or `await` reads this member of an object. */
function isInternal(name: string | symbol): boolean {
  return typeof name === 'symbol' || name.startsWith('_') || name === 'constructor' || name === 'then';
}

/** Resolves with the promise's value. Rejects after `limit` milliseconds. */
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
