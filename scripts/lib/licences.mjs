// Collects the licences of the packages in dist/ into one text file, with a section per package. The licences require
// this.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './install.mjs';

/** Licence of third-party code in three's package. */
const BASIS = `Basis Universal transcoder, Binomial LLC, from https://github.com/BinomialLLC/basis_universal (Apache-2.0)

Licensed under the Apache License, Version 2.0: https://www.apache.org/licenses/LICENSE-2.0`;

const ZSTANDARD = `Zstandard, Facebook, Inc. and its affiliates, from https://github.com/facebook/zstd (BSD-3-Clause)

Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following conditions are met: redistributions of source code must retain the copyright notice, this list of conditions and the following disclaimer; redistributions in binary form must reproduce the same in the documentation; neither the name Facebook, nor Meta, nor the names of its contributors may be used to endorse or promote products derived from this software without specific prior written permission. THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY DAMAGES ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE.`;

/**
 * Returns the text of all licences.
 *
 * @param {import('esbuild').Metafile[]} metafiles metafiles of the bundles
 * @param {string[]} [more] packages in dist/ that the bundles' metafiles do not list
 */
export function collectLicences(metafiles, more = []) {
  const packages = new Set(more);
  for (const { outputs } of metafiles) {
    for (const { inputs } of Object.values(outputs)) {
      for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
        const name = packageOf(path);
        if (name && bytesInOutput > 0) packages.add(name);
      }
    }
  }
  const sections = [...packages].sort().map((name) => {
    const folder = join(projectRoot, 'node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const text =
      file && existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8').trim() : '';
    return `${name} ${version} (${license})\n\n${text}`;
  });
  if (packages.has('three')) sections.push(BASIS, ZSTANDARD);
  return `Fencepost contains parts of these packages.\n\n${sections.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** Returns the package of a path, by its last `node_modules` folder. */
export function packageOf(path) {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
}
