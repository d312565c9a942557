import type { Page } from '@playwright/test';
import type * as Tasks from '../src/tasks.js';

/** What a call was refused with. */
export interface Refusal {
  readonly name: string;
  readonly code?: string;
  readonly message: string;
  readonly stack: string;
}

declare global {
  interface Window {
    readonly tasking: typeof Tasks;
    /** What it is refused with; a value where it is not. */
    refusalOf(call: () => unknown): Promise<Refusal | { readonly value: unknown }>;
    /** Its value, or the code or name of its error. */
    codeOf(promise: PromiseLike<unknown>): Promise<unknown>;
  }
}

/** Tasks that pages under test run (`e2e/pages/task-module.js`). */
export const MODULE = '/e2e/pages/task-module.js';

/** Opens a page with the task system, as the package has it, and with what the tests of tasks ask it by. */
export async function openTasks(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/e2e/pages/blank.html`);
  await page.evaluate(async () => {
    const library = '/dist/tasks.js';
    Object.assign(window, {
      tasking: await import(library),
      refusalOf: async (call: () => unknown) => {
        try {
          return { value: await call() };
        } catch (error) {
          const { name, code, message, stack } = error as Refusal;
          return { name, code, message, stack };
        }
      },
      codeOf: (promise: PromiseLike<unknown>) =>
        promise.then(
          (value) => value,
          (error) => (error instanceof DOMException ? error.name : (error.code ?? error.name)),
        ),
    });
  });
}
