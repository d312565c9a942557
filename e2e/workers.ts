import type { BrowserContext, Page } from '@playwright/test';

declare global {
  interface Window {
    /** The page's workers, oldest first. */
    workers: Worker[];
  }
}

/** Puts the page's workers into `window.workers`: what a page can do from outside. Call before the page is opened. */
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

/** Runs `source` at the beginning of each of the engine's workers, before the script itself. */
export async function atStartOfWorkers(context: BrowserContext, source: string): Promise<void> {
  await context.route('**/dist/worker.js', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${source}\n${await response.text()}` });
  });
}
