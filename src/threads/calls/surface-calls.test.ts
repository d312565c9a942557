import { afterEach, expect, it, vi } from 'vitest';
import type { DrawingSurface } from '../control/protocol.js';
import { createSurfaceCalls } from './surface-calls.js';
import type { ThreadSides } from './thread-api.js';

afterEach(() => void vi.unstubAllGlobals());

/** A connection's calls, and what its executor has been told. */
function connect() {
  const told: [surface: number, canvas: unknown][] = [];
  const surfaces = { set: (surface: number, canvas: unknown) => void told.push([surface, canvas]) };
  const rhi = { gpuBackend: { rare: { surfaces } } };
  return { told, ...createSurfaceCalls({ rhi } as unknown as ThreadSides) };
}

const canvas = { width: 1, height: 1 } as unknown as DrawingSurface;

it('keeps a canvas of a worker for the connections that follow, until the view ends', async () => {
  const first = connect();
  await first.giveSurface(1, canvas);
  const second = connect();
  await second.giveSurface(1, null);
  await second.dropSurface(1);
  await second.giveSurface(1, null);
  expect(first.told).toEqual([[1, canvas]]);
  expect(second.told).toEqual([
    [1, canvas],
    [1, null],
    [1, null],
  ]);
});

it('keeps nothing on the page, where engines that ended without taking their views away would leave it', async () => {
  vi.stubGlobal('document', {});
  const first = connect();
  await first.giveSurface(2, canvas);
  const second = connect();
  await second.giveSurface(2, null);
  expect(first.told).toEqual([[2, canvas]]);
  expect(second.told).toEqual([[2, null]]);
});
