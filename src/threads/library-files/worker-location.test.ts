import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LIBRARY_FILES, type LibraryFile } from './library-files.js';
import { createModuleWorker, findDecoders, findFile, findFileOrNone, locateBy } from './worker-location.js';

// In Node the module's own URL is file:, so the library counts as "another origin" unless an override is set.
let started: string[] = [];
const blobs: Blob[] = [];

class FakeWorker {
  constructor(url: string | URL) {
    started.push(String(url));
  }
}

beforeEach(() => {
  started = [];
  blobs.length = 0;
  vi.stubGlobal('Worker', FakeWorker);
  vi.stubGlobal('origin', 'https://page.test');
  vi.stubGlobal('document', { baseURI: 'https://page.test/shop/index.html', addEventListener: () => {} });
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    blobs.push(blob as Blob);
    return `blob:https://page.test/${blobs.length}`;
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('locations of workers', () => {
  it('resolves an override against the document, with the asset worker next to it', () => {
    expect(locateBy('lib/worker.js')('engine').href).toBe('https://page.test/shop/lib/worker.js');
    expect(locateBy('lib/worker.js')('assets').href).toBe('https://page.test/shop/lib/asset-worker.js');
    const both = { engine: 'blob:https://page.test/e', assets: 'blob:https://page.test/a' };
    expect(locateBy(both)('assets').href).toBe('blob:https://page.test/a');
  });

  it('expects other files next to worker.js, or at addresses that the page passes', () => {
    const beside = locateBy('https://cdn.test/fencepost/worker.js');
    const files = Object.entries(LIBRARY_FILES) as [LibraryFile, string][];
    for (const [file, name] of files) expect(beside(file).href).toBe(`https://cdn.test/fencepost/${name}`);
    const tools = locateBy({ engine: 'lib/worker.js', assets: 'lib/a.js', tools: '/t.js' });
    expect(tools('tools').href).toBe('https://page.test/t.js');
    expect(tools('decoders').href).toBe('https://page.test/shop/lib/decoders.js');
  });

  it('returns no address for files next to a blob', () => {
    const blob = locateBy({ engine: 'blob:https://page.test/e', assets: 'blob:https://page.test/a' });
    expect(findFileOrNone('tools', blob)).toBe('');
    expect(findDecoders(blob)).toEqual({ basis: '', draco: '', decoders: '' });
    expect(() => findFile('tools', blob)).toThrow(TypeError);
  });

  it('starts a same-origin override directly', () => {
    createModuleWorker('engine', locateBy('/w.js'));
    createModuleWorker('engine', locateBy({ engine: 'blob:https://page.test/e', assets: 'x' }));
    expect(started).toEqual(['https://page.test/w.js', 'blob:https://page.test/e']);
    expect(blobs).toHaveLength(0);
  });

  it('starts a worker of another origin through a blob that imports it, and creates the blob once', async () => {
    createModuleWorker('engine', locateBy('https://cdn.test/fencepost/worker.js'));
    createModuleWorker('engine', locateBy('https://cdn.test/fencepost/worker.js'));
    expect(started).toEqual(['blob:https://page.test/1', 'blob:https://page.test/1']);
    expect(await blobs[0]!.text()).toBe('import "https://cdn.test/fencepost/worker.js";');
  });

  it('on a page with an opaque origin, starts workers through a data: script that imports them, and data: URLs directly', () => {
    vi.stubGlobal('origin', 'null');
    createModuleWorker('engine', locateBy('https://page.test/w.js'));
    const source = 'data:text/javascript,postMessage(1)';
    createModuleWorker('engine', locateBy({ engine: source, assets: 'x' }));
    const [shim = '', given] = started;
    const [type, script = ''] = shim.split(',');
    expect(type).toBe('data:text/javascript;charset=utf-8');
    expect(decodeURIComponent(script)).toBe('import "https://page.test/w.js";');
    expect(given).toBe(source);
    expect(blobs).toHaveLength(0);
  });

  it('throws a typed error if the browser rejects the address', () => {
    const refusal = new DOMException('Not here.', 'SecurityError');
    vi.stubGlobal('Worker', function Refused() {
      throw refusal;
    });
    expect(() => createModuleWorker('engine', locateBy('/w.js'))).toThrow(
      expect.objectContaining({
        name: 'ThreadError',
        code: 'worker-failed-to-start',
        cause: refusal,
        message: expect.stringContaining('https://page.test/w.js'),
      }),
    );
  });

  it('finds the file next to a library on another origin', async () => {
    createModuleWorker('assets');
    expect(started).toEqual(['blob:https://page.test/1']);
    expect(await blobs[0]!.text()).toMatch(/^import "file:.*\/threads\/asset-worker\.[jt]s.*";$/);
  });
});
