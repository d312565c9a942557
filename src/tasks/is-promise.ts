/** Returns whether the value can be awaited: a promise, a future, or any other object with a `then` method. */
export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';
