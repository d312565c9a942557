import type { GraphPicture, PictureAccess, PicturePass, PictureResource } from './graph-picture.js';

/**
 * Returns a graph as text: a summary, then one line per pass and per resource.
 *
 *   graph: 3 passes run, 1 more left out; transients share 8.2 MB (12.4 MB if unshared)
 *   1 raster  scene      graphics  reads instances (vertex)  writes scene colour (color)
 *   - raster  unused     left out
 *   = scene colour       texture 640 × 360 rgba16float  1.8 MB  scene to tone mapping  memory 0
 */
export function printGraph(picture: GraphPicture): string {
  const { passes, resources, unsharedBytes, sharedBytes } = picture;
  const culled = passes.filter(({ isCulled }) => isCulled).length;
  const nameWidth = Math.max(0, ...[...passes, ...resources].map(({ name }) => name.length));
  let place = 0;
  return [
    `graph: ${passes.length - culled} passes run, ${culled} more left out; transients share ${megabytes(sharedBytes)} (${megabytes(unsharedBytes)} if unshared)`,
    ...passes.map((pass) => printPass(pass, pass.isCulled ? '-' : String(++place), nameWidth)),
    ...resources.map((resource) => printResource(resource, nameWidth)),
  ].join('\n');
}

function printPass(pass: PicturePass, place: string, nameWidth: number): string {
  const { name, kind, queue, isCulled, reads, writes, gpuMs } = pass;
  const parts = [`${place.padStart(3)} ${kind.padEnd(7)} ${name.padEnd(nameWidth)} `];
  if (isCulled) parts.push('left out');
  else parts.push(queue);
  if (gpuMs !== null) parts.push(`${gpuMs.toFixed(2)} ms`);
  if (reads.length > 0) parts.push(`reads ${list(reads)}`);
  if (writes.length > 0) parts.push(`writes ${list(writes)}`);
  return parts.join('  ');
}

function printResource(
  { name, description, bytes, isImported, lives, memory }: PictureResource,
  nameWidth: number,
): string {
  const life = lives === null ? 'unused' : `${lives[0]} to ${lives[1]}`;
  const place = isImported ? 'imported' : memory === null ? 'no memory' : `memory ${memory}`;
  return `  = ${''.padEnd(7)} ${name.padEnd(nameWidth)}   ${description}  ${megabytes(bytes)}  ${life}  ${place}`;
}

function list(accesses: readonly PictureAccess[]): string {
  return accesses.map(({ resource, use }) => `${resource} (${use})`).join(', ');
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
