/**
 * The context and the page of one test, as the test sees them: what it puts into them is taken out when its turn ends, and a
 * call that leaves what can't be taken out ends the page's turns.
 */

import type { BrowserContext, Page } from '@playwright/test';
import { timeLimit } from '../scripts/lib/time-limits.mjs';

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

/** Before a test has opened a document, these leave open which page that will be. */
const OF_ANY_PAGE = new Set<string | symbol>(['context', 'goto', 'isClosed', 'viewportSize']);

/** How long a page may take to answer, in milliseconds; one whose thread hangs never does. */
export const MAX_ANSWER_TIME = timeLimit(10_000);

/** A context for one test: fresh, or with the page of the tests before. */
export class PageTurn {
  /** The context as the test sees it. */
  readonly context: BrowserContext;
  #ownContext: BrowserContext;
  #page: Page | null = null;
  /** The page shows nothing, or what the test has opened. */
  #hasDocument: boolean;
  /** The test has used the page or the context, so that it keeps these. */
  #isUsed = false;
  #isChoosing = false;
  #isHandedOn = true;
  /** Takes away what the test has added to its page and context. */
  readonly #undo: (() => unknown)[] = [];
  readonly #contextFor: (address: string) => Promise<BrowserContext>;

  /** @param contextFor the context for an address of a test that has only asked for `context` so far */
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

  /** The page as the test sees it. */
  async page(): Promise<Page> {
    if (this.#page) return this.#page;
    if (this.#ownContext.pages().length === 0) await this.#ownContext.newPage();
    const onUse = (name: string | symbol): void => {
      if (!this.#hasDocument && OF_DOCUMENT.has(name))
        throw new Error(`The test has opened no document yet: page.goto comes before page.${String(name)}.`);
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

  /** The page's last turn: the next test gets a fresh context. */
  endAfterThis(): void {
    this.#isHandedOn = false;
  }

  /** Takes out what the test put in. @returns whether nothing of it remains but the document */
  async clear(origins: readonly string[]): Promise<boolean> {
    const [page] = this.#ownContext.pages();
    if (!this.#isHandedOn || !page) return this.#isHandedOn;
    const origin = origins.find((each) => page.url().startsWith(`${each}/`));
    if (!origin) return false;
    try {
      // Playwright may wait for a worker of a worker that has ended.
      await within(MAX_ANSWER_TIME, this.#undoAll());
      // A test that opened nothing leaves the document of the one before it, which has run for long enough.
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
      throw new Error('Which page the test has is open until its first page.goto is done.');
    if (!isOfAnyPage) this.#isUsed = true;
    if (!isHarmless) this.endAfterThis();
  }

  async #undoAll(): Promise<void> {
    for (const undo of this.#undo.splice(0)) await undo();
  }

  /** Members of a page or context whose effects are taken away when the turn ends. */
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
        // A worker that was ended early may still be fetching its script: nobody waits for that any more.
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

/** The browser knows of pages that were opened from others before Playwright hands them to the context. */
async function hasPopups(page: Page): Promise<boolean> {
  const session = await page.context().browser()?.newBrowserCDPSession();
  const { targetInfos = [] } = (await session?.send('Target.getTargets')) ?? {};
  await session?.detach();
  return targetInfos.some(({ type, openerId }) => type === 'page' && openerId !== undefined);
}

/** What `own` gives, with a call before any of its members is used. */
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
