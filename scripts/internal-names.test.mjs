import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { findInternalNames, shortNames } from './lib/internal-names.mjs';

const found = findInternalNames({
  entries: [
    'src/index.ts',
    'src/threads/worker.ts',
    'src/threads/worker-features.ts',
    'src/threads/worker-images.ts',
    'src/threads/main/single-thread.ts',
  ],
  publicEntries: ['src/index.ts'],
  ambient: ['src/virtual.d.ts'],
});
const internal = new Set(found.names);

describe('names that the build shortens', () => {
  it('are those that only our own code says', () => {
    for (const name of ['giveBack', 'takeAttachment', 'remakeBindGroup', 'propagate'])
      expect(internal, name).toContain(name);
  });

  it.each([
    ['users say', 'world addMesh baseColor rotateY onTick captureFrame histogram code'],
    ['the platform says', 'onmessage postMessage createBindGroup mappedAtCreation next then toString'],
    ['shaders say', 'isUnlit hasTangents mayLackNormals clipFromWorld alphaCutoff'],
    [
      'command lists and captures keep',
      'entryPoint vertex binding label depthOrArrayLayers byteLength attachments',
    ],
    [
      'messages and lookups by name say',
      'role canvas isAlive purge shutDown openControl startTrace stopCapture',
    ],
  ])('are none that %s', (_, names) => {
    expect(names.split(' ').filter((name) => internal.has(name))).toEqual([]);
  });

  it('get names that are nobody’s, each its own', () => {
    const short = Object.values(shortNames(found));
    expect(new Set(short).size).toBe(found.names.length);
    expect(short.filter((name) => found.kept.has(name) || internal.has(name))).toEqual([]);
  });

  it('are shortened where they are properties, and nowhere else', async () => {
    const { code } = await transform(
      'let giveBack = a.giveBack("giveBack"); ({ giveBack: 1, b: a["giveBack"] });',
      {
        mangleProps: /^giveBack$/,
        mangleCache: { giveBack: 'q' },
      },
    );
    expect(code).toBe('let giveBack = a.q("giveBack");\n({ q: 1, b: a["giveBack"] });\n');
  });
});
