/** LATENCY by hand, in a worker: draws what it is told as soon as it is told. */
import { type ClearMessage, clearer } from './latency-canvas.js';

let clear: (green: number) => void;

self.onmessage = async ({ data }: MessageEvent<ClearMessage>) => {
  if ('green' in data) return clear(data.green);
  ({ clear } = await clearer(data.canvas));
  self.postMessage('ready');
};
