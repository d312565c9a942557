// A folder of models: which files it has, and how the page reaches them. Every file below the folder is served
// at its own path, so that a .gltf finds its .bin and its images where it says they are.
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';

/** Where the files are served, on the server that also serves the page. */
export const FILES_ROUTE = '/conformance-files';

/** What a caller got wrong: reported without a stack, with exit status 2. */
export class UsageError extends Error {}

/**
 * Every .gltf and .glb below the folder, sorted, as paths relative to it with forward slashes.
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

/** The address of a file, relative to the server's origin. */
export function addressOf(file) {
  return `${FILES_ROUTE}/${file.split('/').map(encodeURIComponent).join('/')}`;
}

/** A Vite plugin that serves the folder under a route; what is not there is a 404. */
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

/** The file an address names; undefined where there is none, or none below the folder. */
function pathOf(root, url) {
  try {
    const path = resolve(root, `.${decodeURIComponent(url.split(/[?#]/)[0])}`);
    const isBelow = !relative(root, path).startsWith('..');
    return isBelow && statSync(path, { throwIfNoEntry: false })?.isFile() ? path : undefined;
  } catch {
    return undefined;
  }
}
