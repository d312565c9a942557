import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the files of the project that git tracks or would add, as paths from the project's root. */
export function projectFiles(root) {
  const { stdout, status } = spawnSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '-z'],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    },
  );
  if (status !== 0) throw new Error('git could not list the project’s files. Run mutants in a clone.');
  // A deleted file is still listed until its deletion is committed.
  return stdout.split('\0').filter((file) => file && existsSync(join(root, file)));
}
