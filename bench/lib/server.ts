/**
 * A static file server on localhost. Files below `/isolated/` have the headers of cross-origin isolation, files below
 * `/plain/` do not. The server records the requests, so that the size of a download counts exactly the fetched files.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

export interface BenchServer {
  readonly origin: string;
  /** Returns paths below the root folder in the order they were served, since the last call. */
  takeRequests(): string[];
  close(): Promise<void>;
}

export async function startServer(root: string): Promise<BenchServer> {
  let requests: string[] = [];
  const server = createServer(async (request, response) => {
    const [, prefix, path] = /^\/(isolated|plain)\/([^?]*)/.exec(request.url ?? '') ?? [];
    const name = normalize(path ?? '');
    try {
      if (!path || name.startsWith('..')) throw new Error('outside');
      const bytes = await readFile(join(root, name));
      requests.push(name);
      response.setHeader('Content-Type', TYPES[extname(name)] ?? 'application/octet-stream');
      response.setHeader('Cache-Control', 'no-cache');
      if (prefix === 'isolated') {
        response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
        response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
      }
      response.end(bytes);
    } catch {
      response.statusCode = 404;
      response.end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('The benchmark server has no port.');
  return {
    origin: `http://localhost:${address.port}`,
    takeRequests() {
      const taken = requests;
      requests = [];
      return taken;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
