import { afterEach, expect, it, vi } from 'vitest';
import type { DrawingSurface } from '../control/protocol.js';
import { createSurfaceCalls } from './surface-calls.js';
import type { ThreadSides } from './thread-api.js';

afterEach(() => void vi.unstubAllGlobals());

/** Returns a connection's calls, and the surfaces that its executor has received. */
function connect() {
  const received: [surface: number, canvas: unknown][] = [];
  const surfaces = { set: (surface: number, canvas: unknown) => void received.push([surface, canvas]) };
  const rhi = { gpuBackend: { rare: { surfaces } } };
  return { received, ...createSurfaceCalls({ rhi } as unknown as ThreadSides) };
}

const canvas = { width: 1, height: 1 } as unknown as DrawingSurface;

it('keeps a worker’s canvas for later connections, until its view ends', async () => {
  const first = connect();
  await first.giveSurface(1, canvas);
  const second = connect();
  await second.giveSurface(1, null);
  await second.dropSurface(1);
  await second.giveSurface(1, null);
  expect(first.received).toEqual([[1, canvas]]);
  expect(second.received).toEqual([
    [1, canvas],
    [1, null],
    [1, null],
  ]);
});

it('keeps no canvas on the page, because an engine that ends with open views would leak it', async () => {
  vi.stubGlobal('document', {});
  const first = connect();
  await first.giveSurface(2, canvas);
  const second = connect();
  await second.giveSurface(2, null);
  expect(first.received).toEqual([[2, canvas]]);
  expect(second.received).toEqual([[2, null]]);
});
