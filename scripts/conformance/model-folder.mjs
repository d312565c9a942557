// A folder of models: its files, and their addresses for the page. Every file below the folder is served at its own
// path, so that a .gltf finds its .bin and its images by their relative addresses.
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';

/** Route of the files on the server that also serves the page. */
export const FILES_ROUTE = '/conformance-files';

/** A wrong argument of the caller. It is reported without a stack, and sets the exit status 2. */
export class UsageError extends Error {}

/**
 * Returns every .gltf and .glb below the folder, sorted, as paths relative to it with forward slashes.
 *
 * @param {string} folder
 * @returns {string[]}
 */
export function findModels(folder) {
  if (!existsSync(folder)) throw new UsageError(`The folder "${folder}" does not exist.`);
  if (!statSync(folder).isDirectory()) throw new UsageError(`"${folder}" is not a folder.`);
  const models = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => /\.(gltf|glb)$/i.test(name) && statSync(join(folder, name)).isFile())
    .map((name) => name.split(sep).join('/'))
    .sort();
  if (models.length === 0) throw new UsageError(`The folder "${folder}" has no .gltf or .glb file.`);
  return models;
}

/** Returns the address of a file, relative to the server's origin. */
export function addressOf(file) {
  return `${FILES_ROUTE}/${file.split('/').map(encodeURIComponent).join('/')}`;
}

/** Returns a Vite plugin that serves the folder under a route, and 404 for missing files. */
export function serveFolder(folder, route = FILES_ROUTE) {
  const root = resolve(folder);
  return {
    name: 'conformance-files',
    configureServer(server) {
      server.middlewares.use(route, (request, response) => {
        const path = pathOf(root, request.url ?? '');
        if (!path) {
          response.statusCode = 404;
          response.end('There is no such file.');
          return;
        }
        response.setHeader('Content-Type', 'application/octet-stream');
        response.setHeader('Content-Length', statSync(path).size);
        createReadStream(path).pipe(response);
      });
    },
  };
}

/** Returns the file of an address; undefined for a missing file or one outside of the folder. */
function pathOf(root, url) {
  try {
    const path = resolve(root, `.${decodeURIComponent(url.split(/[?#]/)[0])}`);
    const isBelow = !relative(root, path).startsWith('..');
    return isBelow && statSync(path, { throwIfNoEntry: false })?.isFile() ? path : undefined;
  } catch {
    return undefined;
  }
}
