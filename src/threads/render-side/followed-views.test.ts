import { expect, it } from 'vitest';
import { FIGURES_PER_VIEW, MOST_SLOTS } from '../../render/picture/view-figures.js';
import type { Renderer } from '../../render/renderer.js';
import { followViews, publishViewCounts } from './followed-views.js';

const BLOCK_BYTES = MOST_SLOTS * FIGURES_PER_VIEW * 4;

/** Creates a renderer whose views have the returned `figures`, four numbers per view. */
function createRenderer() {
  const figures: number[][] = [[1, 5, 2, 5]];
  const views = {
    writeFigures: (block: Uint32Array) => {
      block.fill(0);
      block.set(figures.flat());
      return figures.length;
    },
  };
  const renderer = { features: { views: views as typeof views | undefined } };
  return { figures, fake: renderer, renderer: renderer as unknown as Renderer };
}

/** Creates a fake port that records the posted counts. */
function createPort() {
  const posted: number[][] = [];
  const port = { postMessage: (counts: Uint32Array) => posted.push([...counts]) };
  return { posted, port: port as unknown as MessagePort };
}

it('writes the counts into shared memory with each list, and posts nothing', () => {
  const { figures, renderer } = createRenderer();
  const shared = new SharedArrayBuffer(BLOCK_BYTES);
  const block = new Uint32Array(shared);
  followViews(renderer, shared, null);
  publishViewCounts(renderer);
  expect([...block.subarray(0, 5)]).toEqual([1, 5, 2, 5, 0]);
  figures[0] = [0, 0, 0, 0];
  publishViewCounts(renderer);
  expect([...block.subarray(0, 5)]).toEqual([0, 0, 0, 0, 0]);
});

it('posts a copy of the counts without shared memory, and only if they have changed', () => {
  const { figures, renderer } = createRenderer();
  const { posted, port } = createPort();
  followViews(renderer, null, port);
  publishViewCounts(renderer);
  publishViewCounts(renderer);
  expect(posted.splice(0)).toEqual([[1, 5, 2, 5]]);
  figures.push([1, 3, 1, 3]);
  publishViewCounts(renderer);
  publishViewCounts(renderer);
  expect(posted.splice(0)).toEqual([[1, 5, 2, 5, 1, 3, 1, 3]]);
  figures[0] = [1, 4, 2, 4];
  publishViewCounts(renderer);
  // A view was destroyed.
  figures.pop();
  publishViewCounts(renderer);
  expect(posted).toEqual([
    [1, 4, 2, 4, 1, 3, 1, 3],
    [1, 4, 2, 4],
  ]);
});

it('publishes only to the last follower of each renderer, and publishes nothing without views', () => {
  const { renderer, fake } = createRenderer();
  const [first, second, other] = [createPort(), createPort(), createPort()];
  publishViewCounts(renderer);
  followViews(renderer, null, first.port);
  followViews(createRenderer().renderer, null, other.port);
  const { views } = fake.features;
  fake.features.views = undefined;
  publishViewCounts(renderer);
  expect([first.posted, other.posted]).toEqual([[], []]);
  fake.features.views = views;
  followViews(renderer, null, second.port);
  publishViewCounts(renderer);
  expect([first.posted, second.posted, other.posted]).toEqual([[], [[1, 5, 2, 5]], []]);
});
