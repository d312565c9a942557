import { expect, it, vi } from 'vitest';
import { ThreadError } from '../../core/errors.js';
import type { View } from '../../game/world/view.js';
import type { RenderConnection } from '../../threads/connections/connection.js';
import { ViewCanvases, type ViewCanvasesHost } from './view-canvases.js';

/** Creates a canvas element whose control can be transferred once. */
function fakeElement(): HTMLCanvasElement {
  let isTaken = false;
  const element = {
    cloneNode: fakeElement,
    replaceWith: () => {},
    transferControlToOffscreen() {
      if (isTaken) throw new Error('taken');
      isTaken = true;
      return { of: element };
    },
  };
  return element as unknown as HTMLCanvasElement;
}

function setUp() {
  const takeovers = new Set<(next: RenderConnection) => Promise<void>>();
  const given: unknown[] = [];
  const errors: unknown[] = [];
  const owner = {} as Worker;
  let failure: Error | null = null;
  const connection = {
    capabilities: { limits: {} },
    started: Promise.resolve({ limits: {} }),
    workers: { owner },
    completed: { whenReached: () => new Promise(() => {}) },
    control: {
      giveSurface: async (_id: number, canvas: unknown) => {
        given.push(canvas);
        if (failure) throw failure;
      },
      dropSurface: async () => {},
    },
  } as unknown as RenderConnection;
  const host = {
    pipeline: { takeovers, connection, isConnected: true, options: {} },
    producer: { held: null },
    settings: { requests: [] },
    pointer: () => null,
    reportError: (error: unknown) => errors.push(error),
    isDisposed: () => false,
  } as unknown as ViewCanvasesHost;
  const canvas = fakeElement();
  const dispose = vi.fn();
  const surface = {
    canvas,
    width: 8,
    height: 8,
    pixelRatio: 1,
    limitSize: () => {},
    take: <Taken>(by: (canvas: HTMLCanvasElement) => Taken): Taken => by(canvas),
    dispose,
  };
  const view = {
    surface,
    canvasId: 3,
    dispose() {
      this.surface?.dispose();
      this.surface = null as never;
    },
  };
  return {
    canvases: new ViewCanvases(host),
    view: view as unknown as View,
    given,
    errors,
    dispose,
    takeOver: async () => {
      for (const follow of takeovers) await follow(connection);
    },
    failWith: (error: Error | null) => {
      failure = error;
    },
  };
}

const missing = new ThreadError('worker-ended', 'The worker has ended.');

it('disposes of a view whose canvas can not be given to the threads, and frees the canvas', async () => {
  const { canvases, view, dispose, failWith } = setUp();
  failWith(missing);
  await expect(canvases.add(view)).rejects.toBe(missing);
  expect(view.surface).toBeNull();
  expect(dispose).toHaveBeenCalledOnce();
});

it('gives the same worker a fresh canvas if the worker failed to take the last canvas', async () => {
  const { canvases, view, given, errors, takeOver, failWith } = setUp();
  await canvases.add(view);
  failWith(missing);
  await takeOver(); // the worker has kept the canvas, so none is sent
  failWith(null);
  await takeOver();
  await takeOver(); // the worker has kept the fresh canvas
  expect(errors).toEqual([missing]);
  expect(given).toEqual([expect.anything(), null, expect.anything(), null]);
  expect(given[2]).not.toBe(given[0]);
});
