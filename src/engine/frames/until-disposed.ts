import { disposedError } from '../../core/errors.js';

/** What a promise comes to, or `engine-disposed` where the engine ends before. @param disposed the engine's end */
export function untilDisposed<T>(promise: Promise<T>, disposed: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(disposedError());
    disposed.addEventListener('abort', end);
    if (disposed.aborted) end();
    promise.then(resolve, reject).finally(() => disposed.removeEventListener('abort', end));
  });
}
