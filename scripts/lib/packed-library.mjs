// The library as users get it: packed, and installed from the tarball into an empty folder. The installation fetches no
// other package, because the library has no dependencies.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './install.mjs';

/**
 * Packs the library and installs it.
 *
 * @param {string} folder an empty folder
 * @returns {{ tarball: string, installed: string }} the tarball, and a project that has it installed
 */
export function packLibrary(folder) {
  npm(['pack', '--ignore-scripts', '--pack-destination', folder], projectRoot);
  const packed = packedIn(folder);
  mkdirSync(packed.installed);
  writeFileSync(join(packed.installed, 'package.json'), '{ "type": "module" }');
  const options = ['--offline', '--no-audit', '--no-fund', '--no-package-lock'];
  npm(['install', ...options, packed.tarball], packed.installed);
  return packed;
}

/**
 * Returns the results of `packLibrary` in a folder.
 *
 * @param {string} folder
 */
export function packedIn(folder) {
  const name = readdirSync(folder).find((each) => each.endsWith('.tgz'));
  if (!name) throw new Error(`npm pack wrote no tarball into ${folder}.`);
  return { tarball: join(folder, name), installed: join(folder, 'installed') };
}

/**
 * Returns the output of a command. Throws with its output when it fails.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {string} cwd
 */
export function runCommand(file, args, cwd) {
  try {
    return execFileSync(file, args, { cwd, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    throw new Error(`${file} ${args.join(' ')} failed:\n${error.stdout ?? ''}\n${error.stderr ?? ''}`);
  }
}

/** Runs npm and returns its output. @param {readonly string[]} args @param {string} cwd */
function npm(args, cwd) {
  const path = process.env.npm_execpath;
  return path?.endsWith('.js')
    ? runCommand(process.execPath, [path, ...args], cwd)
    : runCommand('npm', args, cwd);
}
