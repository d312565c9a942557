import type { Page } from '@playwright/test';
import type * as Tasks from '../src/tasks.js';

/** The error of a refused call. */
export interface Refusal {
  readonly name: string;
  readonly code?: string;
  readonly message: string;
  readonly stack: string;
}

declare global {
  interface Window {
    readonly tasking: typeof Tasks;
    /** Returns the error with which a call is refused, or its value. */
    refusalOf(call: () => unknown): Promise<Refusal | { readonly value: unknown }>;
    /** Returns the promise's value, or the code or name of its error. */
    codeOf(promise: PromiseLike<unknown>): Promise<unknown>;
  }
}

/** The module of the tasks that pages under test run. */
export const MODULE = '/e2e/pages/task-module.js';

/** Opens a page with the packaged task system and the helpers of the tests of tasks. */
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
