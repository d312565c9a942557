/**
 * A static host that seems distant: every response is delayed. Texts are compressed by gzip, as hosts send them. The
 * server records requests and their times, which show the files that waited for other files.
 */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.wasm': 'application/wasm',
};
const COMPRESSED = ['.html', '.js', '.wasm'];

export interface ServedRequest {
  /** Path below the root, without its slash; empty for the page itself. */
  readonly path: string;
  /** Path of the page or script that made the request, by its `Referer`; null when the browser sends none. */
  readonly askedBy: string | null;
  readonly status: number;
  /** Compressed size without headers. */
  readonly bytes: number;
  /** Milliseconds since the first request after `takeRequests`. */
  readonly startMs: number;
  readonly endMs: number;
}

export interface DelayedServer {
  readonly origin: string;
  /** Milliseconds from a request to its response. */
  delayMs: number;
  /** Returns the requests answered since the last call, by their start. */
  takeRequests(): ServedRequest[];
  close(): Promise<void>;
}

/** Serves the folder on a free port. */
export async function startDelayedServer(root: string): Promise<DelayedServer> {
  const bodies = new Map<string, Buffer | null>();
  let requests: ServedRequest[] = [];
  let firstAt: number | null = null;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const startedAt = performance.now();
    firstAt ??= startedAt;
    const origin = firstAt;
    // A response after `takeRequests` belongs to a closed page.
    const list = requests;
    const path = pathOf(request.url);
    const name = path === '' ? 'index.html' : path;
    const body = bodies.get(name) ?? (await readBody(root, name));
    bodies.set(name, body);
    const wait = server.delayMs - (performance.now() - startedAt);
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    response.statusCode = body ? 200 : 404;
    response.setHeader('Content-Type', TYPES[extname(name)] ?? 'application/octet-stream');
    // With caching, as hosts allow it, two threads of a page fetch a shared file only once.
    response.setHeader('Cache-Control', 'max-age=3600');
    if (COMPRESSED.includes(extname(name))) response.setHeader('Content-Encoding', 'gzip');
    response.end(body ?? undefined, () => {
      const referer = request.headers.referer;
      list.push({
        path,
        askedBy: referer === undefined ? null : pathOf(new URL(referer).pathname),
        status: response.statusCode,
        bytes: body?.byteLength ?? 0,
        startMs: startedAt - origin,
        endMs: performance.now() - origin,
      });
    });
  };

  const http = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const address = http.address();
  if (!address || typeof address === 'string') throw new Error('The delayed server has no port.');
  const server: DelayedServer = {
    origin: `http://localhost:${address.port}`,
    delayMs: 0,
    takeRequests() {
      const taken = requests.sort((a, b) => a.startMs - b.startMs);
      requests = [];
      firstAt = null;
      return taken;
    },
    close: () =>
      new Promise((resolve) => {
        http.closeAllConnections();
        http.close(() => resolve());
      }),
  };
  return server;
}

function pathOf(url = '/'): string {
  return decodeURIComponent(new URL(url, 'http://localhost').pathname.slice(1));
}

async function readBody(root: string, name: string): Promise<Buffer | null> {
  const path = normalize(name);
  if (path.startsWith('..')) return null;
  try {
    const bytes = await readFile(join(root, path));
    return COMPRESSED.includes(extname(path)) ? gzipSync(bytes, { level: 9 }) : bytes;
  } catch {
    return null;
  }
}
