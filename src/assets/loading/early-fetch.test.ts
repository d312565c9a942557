import { afterEach, expect, it, vi } from 'vitest';
import { type FetchedPiece, ForwardedResponse, fetchForWorker } from './early-fetch.js';

afterEach(() => vi.unstubAllGlobals());

/** Fetches a file for a worker, and passes the parts to a `ForwardedResponse`. */
async function forward(answer: () => Promise<Response>, signal?: AbortSignal) {
  vi.stubGlobal('fetch', answer);
  const parts: FetchedPiece[] = [];
  const forwarded = new ForwardedResponse();
  await fetchForWorker(1, 'https://a.example/x.glb', signal, (part) => {
    parts.push(part);
    forwarded.receive(part);
  });
  return { parts, forwarded };
}

it('forwards a response with its status, headers and bytes', async () => {
  const { forwarded } = await forward(
    async () => new Response('four', { status: 206, statusText: 'Part', headers: { 'content-length': '4' } }),
  );
  const response = await forwarded.response;
  expect([response.status, response.statusText, response.headers.get('content-length')]).toEqual([
    206,
    'Part',
    '4',
  ]);
  expect(await response.text()).toBe('four');
});

it('forwards an error response of the server', async () => {
  const { forwarded } = await forward(async () => new Response(null, { status: 404 }));
  expect((await forwarded.response).ok).toBe(false);
});

it('rejects the response with the message of a failed fetch', async () => {
  const { forwarded } = await forward(() => Promise.reject(new TypeError('offline')));
  await expect(forwarded.response).rejects.toThrow('offline');
});

it('posts nothing for an aborted fetch', async () => {
  const { parts } = await forward(() => Promise.reject(new Error('aborted')), AbortSignal.abort());
  expect(parts).toEqual([]);
});
