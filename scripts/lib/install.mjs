// Installs the packages of package-lock.json before anything imports them. It uses only Node, because npm runs these
// scripts before the first install.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Returns packages that are missing or differ from the lock file's version. Optional (per platform) packages don't
 * count.
 */
export function findOutdated(root = projectRoot) {
  const installedPath = join(root, 'node_modules/.package-lock.json');
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const installed = existsSync(installedPath) ? JSON.parse(readFileSync(installedPath, 'utf8')).packages : {};
  return Object.keys(wanted).filter(
    (path) =>
      path !== '' &&
      !wanted[path].optional &&
      !wanted[path].link &&
      installed[path]?.version !== wanted[path].version,
  );
}

/** Installs packages when some are missing or outdated. Ends the process with npm's status when that fails. */
export function ensureInstalled(root = projectRoot) {
  const outdated = findOutdated(root);
  if (outdated.length === 0) return;
  const isFresh = !existsSync(join(root, 'node_modules/.package-lock.json'));
  console.log(
    isFresh
      ? 'Installing dependencies (npm ci) …'
      : `Updating ${outdated.length} outdated dependencies (npm install) …`,
  );
  const status = runNpm([isFresh ? 'ci' : 'install', '--no-audit', '--no-fund'], root);
  if (status !== 0) {
    console.error('npm could not install the dependencies; see its output above.');
    process.exit(status);
  }
}

/** Runs the npm that has started this script, or otherwise the npm on the path. Returns its exit status. */
export function runNpm(args, cwd = projectRoot) {
  const npm = process.env.npm_execpath;
  const result = npm?.endsWith('.js')
    ? spawnSync(process.execPath, [npm, ...args], { cwd, stdio: 'inherit' })
    : spawnSync('npm', args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' });
  return result.status ?? 1;
}
