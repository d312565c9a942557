/** The page of B2: starts a worker that measures one case, and hands its figures to the runner. */
import type { Measurement, MeasureRequest } from './unmergeable-draws-worker.js';

declare global {
  interface Window {
    measureDraws(request: MeasureRequest): Promise<Measurement>;
  }
}

window.measureDraws = (request) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./unmergeable-draws-worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<Measurement>) => {
      worker.terminate();
      resolve(data);
    };
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(request);
  });
