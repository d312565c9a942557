import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AssetError } from '../core/errors.js';
import { loadScene } from './builders/load-scene.js';
import { bufferOf, fakeDecoder, importDecoder } from './testing/load-file.js';

/** Folder of external files, from the variable `FENCEPOST_ASSETS`. Without that variable the tests are skipped. */
const folder = process.env.FENCEPOST_ASSETS;

describe.skipIf(!folder || !existsSync(folder))('the files in FENCEPOST_ASSETS', () => {
  const names = folder && existsSync(folder) ? readdirSync(folder) : [];
  const read = (name: string) => ({ name, bytes: bufferOf(readFileSync(join(folder ?? '', name))) });
  const resources = names.filter((name) => /\.(bin|png|jpe?g|webp)$/i.test(name));

  it('has glTF files', () => {
    expect(names.filter((name) => /\.(gltf|glb)$/.test(name)).length).toBeGreaterThan(0);
  });

  it.each(names.filter((name) => /\.(gltf|glb)$/.test(name)))(
    '%s loads, or is rejected because of an unsupported extension',
    async (name) => {
      const source = { kind: 'files', files: [name, ...resources].map(read) } as const;
      try {
        const scene = await loadScene(source, { decodeImage: fakeDecoder, loadDecoder: importDecoder });
        expect(scene.nodes.some((node) => node.primitives.length > 0)).toBe(true);
        for (const geometry of scene.geometries) expect(geometry.minimum.every(Number.isFinite)).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(AssetError);
        expect((error as AssetError).code).toBe('extension-unsupported');
      }
    },
  );
});
