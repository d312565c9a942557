/** LATENCY by hand, in a worker: draws each message's colour at once. */
import { type ClearMessage, clearer } from './latency-canvas.js';

let clear: (green: number) => void;

self.onmessage = async ({ data }: MessageEvent<ClearMessage>) => {
  if ('green' in data) return clear(data.green);
  ({ clear } = await clearer(data.canvas));
  self.postMessage('ready');
};
