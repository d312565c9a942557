// Creates projects that use the library as its users do. The package is packed, installed from the tarball into an
// empty folder, and used from there. `npm test` packs it once for all test files. A test file that runs alone
// packs it itself.
//
//   npm pack ──► fencepost-x.y.z.tgz ──► npm install in a temporary folder ──► copies ──► bundler ──► static server
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packedIn, packLibrary, runCommand } from '../../scripts/lib/packed-library.mjs';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/** The example of the README. A test checks that the README contains it word for word. */
export const example = readFileSync(join(projectRoot, 'e2e/packaging/example.ts'), 'utf8');

export interface Sandbox {
  readonly tarball: string;
  /** Makes a project with the library installed and these files. Returns its folder. */
  createConsumer(name: string, files: Readonly<Record<string, string>>): string;
  dispose(): void;
}

/**
 * Creates a temporary folder for consumers of the built library.
 * @param parent the folder that contains it; inside this project, consumers also find this project's own packages
 */
export function createSandbox(parent = tmpdir()): Sandbox {
  mkdirSync(parent, { recursive: true });
  // The real path is needed, because bundlers compare it with resolved links.
  const folder = realpathSync(mkdtempSync(join(parent, 'fencepost-packaging-')));
  const packed = process.env.FENCEPOST_PACKED;
  const { tarball, installed } = packed ? packedIn(packed) : packLibrary(folder);
  return {
    tarball,
    createConsumer(consumerName, files) {
      const root = join(folder, consumerName);
      // Copying the installed folder equals an installation by npm in each consumer's folder.
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

/** Runs one of this project's tools. Throws with its output when it fails. */
export function runTool(script: string, args: readonly string[], cwd = projectRoot): string {
  return runCommand(process.execPath, [join(projectRoot, 'node_modules', script), ...args], cwd);
}
