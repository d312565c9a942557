/** Whether somebody can await it: a promise, a future, or anything else with a `then` to call. */
export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';
