import { afterEach, describe, expect, it, vi } from 'vitest';
import { ktx2File } from '../../../scripts/test-assets/ktx2-file.mjs';
import * as environmentCube from '../../assets/decoders/environment-cube.js';
import * as ktx2 from '../../assets/decoders/ktx2.js';
import * as meshopt from '../../assets/decoders/meshopt.js';
import type { AssetReply, AssetRequest } from '../../assets/loading/asset-protocol.js';
import { BUILD } from '../../core/build.js';
import type { LoadedFiles } from '../library-files/library-files.js';
import { offerFile } from '../library-files/load-file.js';
import { serveAssetsOn } from './asset-worker-module.js';
import { decodersAt } from './decoders-at.js';

const decoders = { 'environment-cube': environmentCube, ktx2, meshopt };
const NOWHERE = { basis: '', draco: '', decoders: '' };

const ports: MessagePort[] = [];
afterEach(() => {
  vi.unstubAllGlobals();
  for (const port of ports.splice(0)) port.close();
  for (const name of ['decoders', 'draco'])
    Reflect.deleteProperty(globalThis, Symbol.for(`fencepost.file.${name}`));
});

describe('decodersAt', () => {
  it('loads the small decoders from one file, and the others from files of their own', async () => {
    offerFile('decoders', decoders);
    const draco = { decodeMesh: () => {} } as unknown as LoadedFiles['draco'];
    offerFile('draco', draco);
    const load = decodersAt(NOWHERE);
    expect(await load('meshopt')).toBe(decoders.meshopt);
    expect(await load('ktx2')).toBe(decoders.ktx2);
    expect(await load('environment-cube')).toBe(decoders['environment-cube']);
    expect(await load('draco')).toBe(draco);
    await expect(load('basis')).rejects.toMatchObject({ code: 'features-missing' });
  });
});

describe('serveAssetsOn', () => {
  it('decodes large pieces without helper workers and without navigator, as in Node', async () => {
    vi.stubGlobal('navigator', undefined);
    vi.stubGlobal('Worker', undefined);
    offerFile('decoders', decoders);
    const { port1, port2 } = new MessageChannel();
    ports.push(port1, port2);
    const replied = new Promise<AssetReply>((resolve) => {
      port1.onmessage = ({ data }: MessageEvent<AssetReply>) => {
        if (data.kind === 'result' || data.kind === 'error') resolve(data);
      };
    });
    serveAssetsOn(port2);
    const levels = [Uint8Array.from({ length: 40 * 40 * 4 }, (_, index) => index % 251)];
    const file = Uint8Array.from(ktx2File({ format: 37, width: 40, height: 40, levels }));
    port1.postMessage({
      kind: 'load',
      request: 1,
      resultKind: 'texture',
      source: { kind: 'bytes', name: 'large.ktx2', bytes: file.buffer },
      build: BUILD,
      isFetchedByPage: false,
      decoderUrls: NOWHERE,
      helpers: 0,
      deviceFeatures: [],
      use: { srgb: true },
    } satisfies AssetRequest);
    const reply = await replied;
    expect(reply).toMatchObject({ kind: 'result', result: { width: 40, height: 40 } });
  });
});
