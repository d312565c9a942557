import { describe, expect, it } from 'vitest';
import type { ServedRequest } from './delayed-server.js';
import { answersInSequence, type Load, waterfall } from './waterfall.js';

const request = (path: string, askedBy: string | null, startMs: number): ServedRequest => ({
  path,
  askedBy,
  status: 200,
  bytes: 1500,
  startMs,
  endMs: startMs + 1000,
});

/** The page, a script, and two concurrent files. The later file arrives after the picture. */
const load: Load = {
  completeMs: 3100,
  requests: [
    request('', null, 0),
    request('main.js', '', 1010),
    request('assets/model.glb', 'main.js', 2030),
    request('late.js', 'main.js', 2500),
  ],
};

describe('waterfall', () => {
  it('counts responses in sequence, without responses after the picture', () => {
    expect(answersInSequence(load)).toBe(3);
    expect(answersInSequence({ completeMs: 3600, requests: load.requests })).toBe(3);
    expect(answersInSequence({ completeMs: 10, requests: [] })).toBe(0);
  });

  it('lists the start of each request, its referrer and the last response before it', () => {
    const lines = waterfall(load, 1000).split('\n').slice(2);
    expect(lines.map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['0.00', 'the page', '1.5', '–', '–'],
      ['1.01', 'main.js', '1.5', 'the page', 'the page + 10 ms'],
      ['2.03', 'model.glb', '1.5', 'main.js', 'main.js + 20 ms'],
      ['2.50', 'late.js', '1.5', 'main.js', 'main.js + 490 ms'],
      ['3.10', 'complete picture', 'model.glb + 70 ms'],
    ]);
  });
});
