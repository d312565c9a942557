import { ThreadError } from './errors.js';

export { BUILD } from './build-id.js';

/** @param asker who has loaded `file` */
export function buildsDiffer(file: string, build: unknown, asker: string, ofAsker: unknown): ThreadError {
  const name = (id: unknown): string =>
    typeof id === 'string' ? `build ${id}` : 'a build that does not name itself';
  return new ThreadError(
    'builds-differ',
    `${file} is of ${name(build)}, and ${asker} of ${name(ofAsker)}. Serve all files from the dist/ of one build, check workerUrl, and let caches give up the older ones.`,
  );
}
