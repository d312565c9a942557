import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BUILD } from '../../core/build.js';
import { ThreadError } from '../../core/errors.js';
import { importByAddress } from './import-by-address.js';
import { LIBRARY_FILES, type LoadedFile, type LoadedFiles } from './library-files.js';

vi.mock('./import-by-address.js', () => ({ importByAddress: vi.fn() }));
const fetched = vi.mocked(importByAddress);

const ADDRESS = 'https://cdn.test/fencepost/decoders.js';
const decoders = { 'environment-cube': {}, ktx2: {}, meshopt: {} } as unknown as LoadedFiles['decoders'];
const symbolOf = (name: LoadedFile): symbol => Symbol.for(`fencepost.file.${name}`);

let loadFile: typeof import('./load-file.js').loadFile;
let offerFile: typeof import('./load-file.js').offerFile;

beforeEach(async () => {
  // Import the module anew, as on a new thread on which no load has failed.
  vi.resetModules();
  ({ loadFile, offerFile } = await import('./load-file.js'));
  fetched.mockReset();
});
afterEach(() => {
  for (const name of Object.keys(LIBRARY_FILES))
    Reflect.deleteProperty(globalThis, symbolOf(name as LoadedFile));
});

/** Runs the script of the file, as an import does. */
function script(): Promise<object> {
  offerFile('decoders', decoders);
  return Promise.resolve({});
}

it('imports a file once, and returns the module that its script has offered', async () => {
  fetched.mockImplementation(script);
  expect(await loadFile('decoders', ADDRESS)).toBe(decoders);
  expect(await loadFile('decoders', ADDRESS)).toBe(decoders);
  expect(fetched.mock.calls).toEqual([[ADDRESS]]);
});

it('needs no import if the file has already run', async () => {
  offerFile('decoders', decoders);
  expect(await loadFile('decoders', '')).toBe(decoders);
  expect(fetched).not.toHaveBeenCalled();
});

it('tries again at another address after a failed fetch, because browsers may remember the failure', async () => {
  const offline = new TypeError('Failed to fetch dynamically imported module');
  fetched.mockRejectedValueOnce(offline).mockRejectedValueOnce(offline).mockImplementation(script);
  for (let attempt = 0; attempt < 2; attempt++)
    await expect(loadFile('decoders', ADDRESS)).rejects.toMatchObject({
      name: 'ThreadError',
      code: 'features-missing',
      message: `${ADDRESS} can't be loaded (${offline.message}). Serve it beside worker.js.`,
      cause: offline,
    });
  expect(await loadFile('decoders', ADDRESS)).toBe(decoders);
  expect(fetched.mock.calls).toEqual([[ADDRESS], [`${ADDRESS}?again=1`], [`${ADDRESS}?again=2`]]);
});

it.each([
  ['https://cdn.test/decoders.js?v=7', 'https://cdn.test/decoders.js?v=7&again=1'],
  ['blob:https://page.test/1', 'blob:https://page.test/1'],
  ['data:text/javascript,', 'data:text/javascript,'],
])('tries %s again at %s', async (first, second) => {
  fetched.mockRejectedValueOnce(new TypeError('offline')).mockImplementation(script);
  await expect(loadFile('decoders', first)).rejects.toBeInstanceOf(ThreadError);
  await loadFile('decoders', first);
  expect(fetched.mock.calls).toEqual([[first], [second]]);
});

it('counts the failed fetches of each file separately', async () => {
  fetched.mockRejectedValueOnce(new TypeError('offline')).mockImplementation(script);
  await expect(loadFile('basis', 'https://cdn.test/decoder-basis.js')).rejects.toThrow('offline');
  await loadFile('decoders', ADDRESS);
  expect(fetched).toHaveBeenLastCalledWith(ADDRESS);
});

it('rejects a file of another build, and names both builds', async () => {
  fetched.mockImplementation(async () => {
    Object.assign(globalThis, { [symbolOf('decoders')]: { build: 'older', module: decoders } });
    return {};
  });
  await expect(loadFile('decoders', ADDRESS)).rejects.toMatchObject({
    name: 'ThreadError',
    code: 'builds-differ',
    message: expect.stringMatching(
      new RegExp(`^${ADDRESS} comes from build older, but worker.js from build ${BUILD}\\.`),
    ),
  });
});

it('rejects a wrong file, and names the file if its address is unknown', async () => {
  fetched.mockResolvedValueOnce({}).mockRejectedValueOnce(new TypeError('no address'));
  await expect(loadFile('decoders', ADDRESS)).rejects.toMatchObject({
    code: 'features-missing',
    message: `${ADDRESS} can't be loaded (the address serves another file). Serve it beside worker.js.`,
  });
  await expect(loadFile('tools', '')).rejects.toMatchObject({
    code: 'features-missing',
    message: "worker-tools.js can't be loaded (no address). Serve it beside worker.js.",
  });
});

it('tries a wrong file again at another address, because the browser keeps the modules that it has loaded', async () => {
  fetched.mockResolvedValueOnce({}).mockImplementation(script);
  await expect(loadFile('decoders', ADDRESS)).rejects.toMatchObject({ code: 'features-missing' });
  expect(await loadFile('decoders', ADDRESS)).toBe(decoders);
  expect(fetched).toHaveBeenLastCalledWith(`${ADDRESS}?again=1`);
});

it('rejects a fetch that has not been answered within 30 s, and tries again at the next call', async () => {
  vi.useFakeTimers();
  try {
    fetched.mockReturnValueOnce(new Promise(() => {})).mockImplementation(script);
    const refused = expect(loadFile('decoders', ADDRESS)).rejects.toMatchObject({ code: 'features-missing' });
    await vi.advanceTimersByTimeAsync(30_000);
    await refused;
    expect(await loadFile('decoders', ADDRESS)).toBe(decoders);
    expect(fetched).toHaveBeenLastCalledWith(`${ADDRESS}?again=1`);
  } finally {
    vi.useRealTimers();
  }
});
