// A minimal web server. It serves files by path, with types by extension, and sends no special headers unless
// an option asks for them.
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
  /** Origin of the server, without a trailing slash. */
  readonly origin: string;
  close(): Promise<void>;
}

interface ServerOptions {
  /** Lets other origins read the files, as asset hosts do. */
  readonly allowOrigins?: boolean;
  /** Isolates pages from other origins, so that they share memory with their workers. */
  readonly isIsolated?: boolean;
  /** A Content-Security-Policy header to send with every file. */
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
