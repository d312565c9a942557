import { describe, expect, it } from 'vitest';
import { makeTestAssets } from '../../scripts/make-test-assets.mjs';
import { AssetError } from '../core/errors.js';
import type { LoadProgress } from '../proxy/scene-description.js';
import { loadScene } from './builders/load-scene.js';
import { bufferOf, fakeDecoder } from './testing/load-file.js';

const assets = makeTestAssets();
const ORIGIN = 'https://models.example/folder/';

/** Returns a `fetch` that finds the test assets under `ORIGIN`, and answers 404 for other addresses. */
function server(requests: string[] = []): typeof fetch {
  return async (input) => {
    const url = String(input);
    requests.push(url);
    const bytes = assets[decodeURIComponent(url.slice(ORIGIN.length))];
    if (!bytes) return new Response('no', { status: 404, statusText: 'Not Found' });
    return new Response(bytes, { headers: { 'content-length': String(bytes.byteLength) } });
  };
}

const loadUrl = (name: string, options: Parameters<typeof loadScene>[1] = {}) =>
  loadScene({ kind: 'url', url: ORIGIN + name }, { fetch: server(), decodeImage: fakeDecoder, ...options });

const externalFiles = ['external.bin', 'textures/two colours.png', 'external.gltf'];
const given = (names: readonly string[], rename = (name: string) => name) =>
  names.map((name) => ({ name: rename(name), bytes: bufferOf(assets[name]!) }));
const loadFiles = (files: { name: string; bytes: ArrayBuffer | Blob }[]) =>
  loadScene({ kind: 'files', files }, { decodeImage: fakeDecoder });

describe('URLs', () => {
  it('fetches each referenced file once, relative to the main file', async () => {
    const requests: string[] = [];
    const scene = await loadUrl('external.gltf', { fetch: server(requests) });
    expect(requests.sort()).toEqual([
      `${ORIGIN}external.bin`,
      `${ORIGIN}external.gltf`,
      `${ORIGIN}textures/two%20colours.png`,
    ]);
    expect(scene.textures).toHaveLength(1);
    expect(scene.name).toBe('external.gltf');
  });

  it.each([
    [' skin.bin', '%20skin.bin'],
    ['skin.bin  ', 'skin.bin%20%20'],
    ['a\tb/\n skin.bin', 'a%09b/%0A%20skin.bin'],
    ['%20skin.bin', '%20skin.bin'],
    [' https://models.example/folder/skin.bin', 'skin.bin'],
  ])(
    'keeps the white space of "%s" in the fetched address, and finds a dropped file of that name',
    async (uri, path) => {
      const file = new TextEncoder().encode(
        JSON.stringify({ asset: { version: '2.0' }, buffers: [{ uri, byteLength: 4 }] }),
      );
      const requests: string[] = [];
      const fetchFile: typeof fetch = async (input) => {
        requests.push(String(input));
        return new Response(requests.length === 1 ? file : new Uint8Array(4));
      };
      await loadUrl('bag.gltf', { fetch: fetchFile });
      expect(requests[1]).toBe(ORIGIN + path);
      const dropped = { name: decodeURIComponent(path), bytes: new ArrayBuffer(4) };
      await loadFiles([{ name: 'bag.gltf', bytes: bufferOf(file) }, dropped]);
    },
  );

  it('resolves references against the final URL after a redirect', async () => {
    const requests: string[] = [];
    const fetchFile = server(requests);
    const redirecting: typeof fetch = async (input, init) => {
      if (String(input) !== 'https://short.example/latest') return fetchFile(input, init);
      const response = await fetchFile(`${ORIGIN}external.gltf`, init);
      Object.defineProperty(response, 'url', { value: `${ORIGIN}external.gltf` });
      return response;
    };
    const scene = await loadScene(
      { kind: 'url', url: 'https://short.example/latest' },
      { fetch: redirecting, decodeImage: fakeDecoder },
    );
    expect(requests).toContain(`${ORIGIN}external.bin`);
    expect(scene.textures).toHaveLength(1);
  });

  it('names a scene by its file, without the query, and shortens data URLs in errors', async () => {
    const fetchAny: typeof fetch = async () => new Response(assets['sparse.glb']!);
    expect((await loadUrl('a/b.glb?version=2#x', { fetch: fetchAny })).name).toBe('b.glb');
    const url = `data:model/gltf-binary;base64,${'A'.repeat(1000)}`;
    const error = await loadScene({ kind: 'url', url }).catch((reason) => reason);
    expect(error).toMatchObject({ code: 'not-gltf' });
    expect(error.message.length).toBeLessThan(250);
  });

  it('reports progress over the bytes of all files, up to their sum', async () => {
    const reports: LoadProgress[] = [];
    await loadUrl('external.gltf', { onProgress: (progress) => reports.push(progress) });
    const sum = externalFiles.reduce((total, name) => total + assets[name]!.byteLength, 0);
    expect(reports.at(-1)).toEqual({ loadedBytes: sum, totalBytes: sum });
    expect(reports.filter(({ loadedBytes, totalBytes }) => loadedBytes === totalBytes)).toHaveLength(1);
    for (const [i, report] of reports.entries()) {
      expect(report.loadedBytes).toBeGreaterThanOrEqual(reports[i - 1]?.loadedBytes ?? 0);
      expect(report.totalBytes).toBeGreaterThanOrEqual(report.loadedBytes);
    }
  });

  it('reports an unknown total while a server sends no Content-Length', async () => {
    const reports: LoadProgress[] = [];
    const fetchChunks: typeof fetch = async () =>
      new Response(new Blob([assets['sparse.glb']!]).stream(), { headers: {} });
    await loadUrl('sparse.glb', { fetch: fetchChunks, onProgress: (progress) => reports.push(progress) });
    const size = assets['sparse.glb']!.byteLength;
    expect(reports[0]).toEqual({ loadedBytes: size, totalBytes: 0 });
    expect(reports.at(-1)).toEqual({ loadedBytes: size, totalBytes: size });
  });

  it.each([
    ['nothing.glb', 'fetch-failed', `"${ORIGIN}nothing.glb"`],
    ['broken/missing-buffer.gltf', 'resource-missing', `${ORIGIN}broken/nowhere.bin`],
  ])(
    'rejects %s, which the server lacks, with %s, the status and the address',
    async (name, code, address) => {
      const error: unknown = await loadUrl(name).catch((reason) => reason);
      expect(error).toBeInstanceOf(AssetError);
      expect(error).toMatchObject({ code });
      expect(String(error)).toContain('404 Not Found');
      expect(error).toMatchObject({ status: 404 });
      expect(String(error)).toContain(address);
    },
  );

  it('rejects with fetch-failed and the cause after a network failure', async () => {
    const cause = new TypeError('Failed to fetch');
    const error = await loadUrl('x.glb', { fetch: () => Promise.reject(cause) }).catch((reason) => reason);
    expect(error).toMatchObject({ code: 'fetch-failed', cause });
  });

  it('stops all transfers when one of them fails', async () => {
    const signals: (AbortSignal | null | undefined)[] = [];
    const fetchSome: typeof fetch = (input, init) => {
      signals.push(init?.signal);
      if (String(input).endsWith('.png')) {
        return new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(new Error())));
      }
      return String(input).endsWith('.bin') ? Promise.reject(new TypeError('no')) : server()(input);
    };
    await expect(loadUrl('external.gltf', { fetch: fetchSome })).rejects.toMatchObject({
      code: 'resource-missing',
    });
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, true, true]);
  });
});

describe('aborting', () => {
  it('rejects with the reason before anything is fetched', async () => {
    const requests: string[] = [];
    const promise = loadUrl('sparse.glb', { signal: AbortSignal.abort(), fetch: server(requests) });
    await expect(promise).rejects.toMatchObject({ name: 'AbortError' });
    expect(requests).toEqual([]);
  });

  it('ends a transfer that is under way', async () => {
    const controller = new AbortController();
    const fetchForever: typeof fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
        controller.abort();
      });
    const promise = loadUrl('sparse.glb', { signal: controller.signal, fetch: fetchForever });
    await expect(promise).rejects.toBe(controller.signal.reason);
  });

  it('ends a transfer half-way through its body', async () => {
    const controller = new AbortController();
    const fetchHalf: typeof fetch = async (_, init) =>
      new Response(
        new ReadableStream({
          start(stream) {
            stream.enqueue(assets['sparse.glb']!.slice(0, 100));
            init?.signal?.addEventListener('abort', () => stream.error(init.signal?.reason));
          },
        }),
      );
    const onProgress = () => controller.abort();
    const promise = loadUrl('sparse.glb', { signal: controller.signal, fetch: fetchHalf, onProgress });
    await expect(promise).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('closes decoded pictures when the load is aborted during decoding', async () => {
    const controller = new AbortController();
    let closed = 0;
    const decodeImage = async () => {
      controller.abort();
      return { image: { close: () => closed++ } as unknown as ImageBitmap, width: 1, height: 1 };
    };
    const promise = loadUrl('all-maps.glb', { signal: controller.signal, decodeImage });
    await expect(promise).rejects.toMatchObject({ name: 'AbortError' });
    expect(closed).toBeGreaterThan(0);
  });
});

describe('files', () => {
  it('finds referenced files by their relative paths', async () => {
    const scene = await loadFiles(given(externalFiles, (name) => `my folder/${name}`));
    expect(scene.textures).toHaveLength(1);
    expect(scene.warnings).toEqual([]);
  });

  it('finds dropped files by their bare names, and accepts Blobs', async () => {
    const files = given(externalFiles, (name) => name.split('/').pop()!);
    const scene = await loadFiles(files.map(({ name, bytes }) => ({ name, bytes: new Blob([bytes]) })));
    expect(scene.textures).toHaveLength(1);
  });

  it('prefers a file with the same path over one with the same name', async () => {
    const [bin, image, main] = given(externalFiles);
    const decoy = { name: 'other/two colours.png', bytes: new ArrayBuffer(8) };
    const scene = await loadFiles([decoy, bin!, image!, main!]);
    expect(scene.textures).toHaveLength(1);
  });

  it('names a missing file, and rejects sets of files without glTF', async () => {
    await expect(loadFiles(given(['external.gltf']))).rejects.toMatchObject({
      code: 'resource-missing',
      message: expect.stringContaining('external.bin'),
    });
    await expect(loadFiles(given(['external.bin']))).rejects.toMatchObject({ code: 'not-gltf' });
  });

  it('warns when only one of several glTF files is loaded', async () => {
    const scene = await loadFiles(given(['sparse.glb', 'unlit.glb']));
    expect(scene.name).toBe('sparse.glb');
    expect(scene.warnings[0]).toContain('only "sparse.glb" is loaded');
  });
});
