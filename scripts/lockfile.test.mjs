import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from './lib/install.mjs';

const { packages } = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8'));

describe('package-lock.json', () => {
  // If a registry lacks a platform's package, npm omits the package from the file, and `npm ci` then rejects the file.
  it('names the optional packages of every platform', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
      ),
    );
    expect(missing).toEqual([]);
  });

  it('names no registry', () => {
    expect(Object.values(packages).filter(({ resolved }) => resolved)).toEqual([]);
  });
});
