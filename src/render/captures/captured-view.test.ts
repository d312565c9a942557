import { describe, expect, it } from 'vitest';
import { NO_ID } from '../../proxy/commands.js';
import { placeInTile } from './captured-view.js';
import { RunningCapture } from './running-capture.js';
import { sampleOffsets } from './sample-offsets.js';

const WHOLE = { x: 0, y: 0, width: 1, height: 1 };
const requestOf = (width: number, height: number, samples = 1) => ({
  request: 100,
  view: NO_ID,
  width,
  height,
  samples,
});

describe('R11 samples of a captured picture', () => {
  it('one sample lies in the centre of the pixel', () => {
    expect([...sampleOffsets(1)]).toEqual([0, 0]);
  });

  it('samples fill the pixel evenly, and their average is its centre', () => {
    for (const count of [2, 3, 4, 16, 64]) {
      const offsets = sampleOffsets(count);
      for (const axis of [0, 1]) {
        const places = Array.from({ length: count }, (_, index) => offsets[index * 2 + axis]!).sort(
          (a, b) => a - b,
        );
        expect(places.reduce((sum, place) => sum + place, 0)).toBeCloseTo(0, 10);
        expect(places[0]).toBeGreaterThanOrEqual(-0.5);
        expect(places.at(-1)).toBeLessThan(0.5);
        expect(new Set(places).size).toBe(count);
      }
    }
  });
});

describe('R11 the lists of a capture', () => {
  it('a small picture is drawn once per sample, without an overview', () => {
    const capture = new RunningCapture(requestOf(300, 200, 2), 100);
    const drawn: unknown[] = [];
    for (; !capture.isDone; capture.advance()) {
      const { target, pixelRatio, isTiled } = capture.frame(1000);
      drawn.push([capture.tileRequest, capture.sample, target.width, target.height, pixelRatio, isTiled]);
    }
    expect(drawn).toEqual([
      [100, 0, 300, 200, 2, false],
      [100, 1, 300, 200, 2, false],
    ]);
  });

  it('a large picture has an overview, then tiles with margins within the picture', () => {
    const capture = new RunningCapture(requestOf(4096, 1500), 750);
    const overview = capture.frame(0);
    expect([capture.isOverview, overview.width, overview.height, overview.pixelRatio]).toEqual([
      true,
      2048,
      750,
      1,
    ]);
    const targets: unknown[] = [];
    for (capture.advance(); !capture.isDone; capture.advance()) targets.push(capture.frame(0).target);
    expect(targets).toHaveLength(8);
    expect(targets[0]).toEqual({ x: 0, y: 0, width: 1152, height: 1152 });
    expect(targets[5]).toEqual({ x: 896, y: 896, width: 1280, height: 604 });
  });

  it('effects that read far pixels widen the margin, up to a limit', () => {
    const capture = new RunningCapture(requestOf(4096, 4096), 0);
    for (let list = 0; list < 6; list++) capture.advance();
    expect(capture.frame(201).target).toEqual({ x: 816, y: 816, width: 1440, height: 1440 });
    expect(capture.frame(5000).target).toEqual({ x: 512, y: 512, width: 2048, height: 2048 });
  });
});

describe('R11 a view in a tile of a picture', () => {
  const frame = {
    width: 4000,
    height: 1000,
    offsetX: 0,
    offsetY: 0,
    pixelRatio: 1,
    isTiled: true,
    isOverview: false,
  };

  it('is drawn in the part that the tile covers', () => {
    const target = { x: 896, y: 0, width: 1280, height: 1000 };
    expect(placeInTile({ x: 0.5, y: 0.1, width: 0.5, height: 0.5 }, { ...frame, target })).toEqual({
      x: 1104,
      y: 100,
      width: 176,
      height: 500,
      isPart: true,
      pixelRatio: 1,
      scale: 1,
      region: { x: 0, y: 0, width: 2000, height: 500, isOverview: false },
    });
    expect(placeInTile(WHOLE, { ...frame, target })).toMatchObject({
      x: 0,
      isPart: false,
      region: { x: 896, y: 0, width: 4000, height: 1000 },
    });
  });

  it('is not drawn in other tiles', () => {
    const target = { x: 0, y: 0, width: 1152, height: 1000 };
    expect(placeInTile({ x: 0.5, y: 0, width: 0.5, height: 1 }, { ...frame, target })).toBeUndefined();
  });
});
