// A consumer of the library, made as a stranger would: the package is packed, installed from the tarball into an
// empty folder, and used from there. Nothing is fetched: the package has no dependencies.
//
//   npm pack ──► fencepost-x.y.z.tgz ──► npm install in a temporary folder ──► copies ──► bundler ──► static server
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/** The example of the README: the test sees to it that it stands there word for word. */
export const example = readFileSync(join(projectRoot, 'e2e/packaging/example.ts'), 'utf8');

export interface Sandbox {
  readonly tarball: string;
  /** Makes an empty project that has the library installed, with these files. Returns its folder. */
  createConsumer(name: string, files: Readonly<Record<string, string>>): string;
  dispose(): void;
}

/**
 * Packs the library, as built before the tests, into a temporary folder.
 * @param parent where that lies: in this project's folder, consumers find this project's own packages as well
 */
export function createSandbox(parent = tmpdir()): Sandbox {
  mkdirSync(parent, { recursive: true });
  // The real path: bundlers compare it with what they resolve through links.
  const folder = realpathSync(mkdtempSync(join(parent, 'fencepost-packaging-')));
  npm(['pack', '--ignore-scripts', '--pack-destination', folder], projectRoot);
  const name = readdirSync(folder).find((each) => each.endsWith('.tgz'));
  if (!name) throw new Error('npm pack wrote no tarball.');
  const tarball = join(folder, name);
  // Once: npm would do the same in each consumer's folder, which is what its copies are.
  const installed = join(folder, 'installed');
  mkdirSync(installed);
  writeFileSync(join(installed, 'package.json'), '{ "type": "module" }');
  npm(['install', '--offline', '--no-audit', '--no-fund', '--no-package-lock', tarball], installed);
  return {
    tarball,
    createConsumer(consumerName, files) {
      const root = join(folder, consumerName);
      cpSync(installed, root, { recursive: true });
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
      return root;
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs one of this project's own tools. Throws with its output when it fails. */
export function runTool(script: string, args: readonly string[], cwd = projectRoot): string {
  return run(process.execPath, [join(projectRoot, 'node_modules', script), ...args], cwd);
}

function npm(args: readonly string[], cwd: string): string {
  const path = process.env.npm_execpath;
  return path?.endsWith('.js') ? run(process.execPath, [path, ...args], cwd) : run('npm', args, cwd);
}

function run(file: string, args: readonly string[], cwd: string): string {
  try {
    return execFileSync(file, args, { cwd, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${file} ${args.join(' ')} failed:\n${stdout}\n${stderr}`);
  }
}
