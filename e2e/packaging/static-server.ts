// The plainest of web servers: files by path, their type by extension, no special headers (but CORS on request).
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
};

export interface StaticServer {
  /** Without a slash at the end. */
  readonly origin: string;
  close(): Promise<void>;
}

interface ServerOptions {
  /** Lets other origins read the files, as asset hosts do. */
  readonly allowOrigins?: boolean;
  /** Isolates pages from other origins, so that they share memory with their workers. */
  readonly isIsolated?: boolean;
  /** With every file. */
  readonly contentSecurityPolicy?: string;
}

/** Serves `folder` on a free port. */
export async function serveStatic(
  folder: string,
  { allowOrigins = false, isIsolated = false, contentSecurityPolicy }: ServerOptions = {},
): Promise<StaticServer> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = normalize(decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname));
    try {
      const body = await readFile(join(folder, path));
      response.setHeader('Content-Type', types[extname(path)] ?? 'application/octet-stream');
      if (contentSecurityPolicy) response.setHeader('Content-Security-Policy', contentSecurityPolicy);
      if (isIsolated) {
        response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
        response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
        response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
      }
      if (allowOrigins) response.setHeader('Access-Control-Allow-Origin', '*');
      response.end(body);
    } catch {
      response.writeHead(404).end('Not found');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
