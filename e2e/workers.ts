import type { BrowserContext, Page } from '@playwright/test';

declare global {
  interface Window {
    /** The page's workers, oldest first. */
    workers: Worker[];
  }
}

/**
 * Stores the page's workers in `window.workers`, so that a test can terminate them. Call this before the page
 * is opened.
 */
export async function holdWorkers(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const workers: Worker[] = [];
    const NativeWorker = Worker;
    window.Worker = class extends NativeWorker {
      constructor(...parameters: ConstructorParameters<typeof Worker>) {
        super(...parameters);
        workers.push(this);
      }
    };
    window.workers = workers;
  });
}

/** Runs `source` at the start of each of the engine's workers, before its script. */
export async function atStartOfWorkers(context: BrowserContext, source: string): Promise<void> {
  await context.route('**/dist/worker.js', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${source}\n${await response.text()}` });
  });
}
