import { describe, expect, it } from 'vitest';
import type { GraphPass } from '../graph-pass.js';
import { compute, draw, GraphBench, pass } from '../testing/graph-bench.js';
import { diffGraphs } from './diff-graphs.js';
import { drawGraph } from './draw-graph.js';
import { type GraphPicture, withTimes } from './graph-picture.js';
import { pictureOf } from './picture-of.js';
import { printGraph } from './print-graph.js';

function pictured(passes: readonly GraphPass[]): GraphPicture {
  const bench = new GraphBench();
  bench.frame(passes);
  const { compiled } = bench.graph;
  if (!compiled) throw new Error('nothing was compiled');
  return pictureOf(compiled, bench.graph.setup.passes);
}

const last = pass(
  'last',
  (builder) => {
    builder.read(builder.findTexture('lit'), 'sampled');
    builder.write(builder.createBuffer({ name: 'histogram <64>', byteLength: 256 }), 'storage');
    builder.keep();
  },
  { kind: 'compute', queue: 'graphics' },
);
const passes = [draw('depth', 'depths'), draw('idle', 'idle'), draw('scene', 'lit', ['depths']), last];

describe('X5 diagnostics', () => {
  it('prints passes with queues and times, resources with lifetimes and memory, and the bytes that sharing saves', () => {
    const text = printGraph(withTimes(pictured(passes), new Map([['scene', 1.25]])));
    expect(text.split('\n')).toEqual([
      'graph: 3 passes run, 1 more left out; transients share 0.1 MB (0.1 MB if unshared)',
      '  1 raster  depth            graphics  writes depths (color)',
      '  - raster  idle             left out  writes idle (color)',
      '  2 raster  scene            graphics  1.25 ms  reads depths (sampled)  writes lit (color)',
      '  3 compute last             graphics  reads lit (sampled)  writes histogram <64> (storage)',
      '  =         depths           texture 64 × 64 rgba16float  0.0 MB  depth to scene  memory 0',
      '  =         idle             texture 64 × 64 rgba16float  0.0 MB  unused  no memory',
      '  =         lit              texture 64 × 64 rgba16float  0.0 MB  scene to last  memory 1',
      '  =         histogram <64>   buffer  0.0 MB  last to last  memory 2',
    ]);
  });

  it('draws a column per executed pass and a row per resource, as a well-formed document', () => {
    const svg = drawGraph(pictured(passes));
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    expect(svg.match(/font-weight="bold"/g)).toHaveLength(3);
    expect(svg.match(/<g>/g)).toHaveLength(4);
    expect(svg).toContain('histogram &lt;64&gt;');
    expect(svg).toContain('left out: idle');
    expect(svg.match(/<(g|svg|text|title)\b/g)?.length).toBe(svg.match(/<\/(g|svg|text|title)>/g)?.length);
  });

  it('lists the changes between two graphs, and none if only GPU times differ', () => {
    const before = pictured(passes);
    expect(diffGraphs(before, withTimes(pictured(passes), new Map([['scene', 1.25]])))).toEqual([]);
    const after = pictured([
      ...passes.slice(0, 3),
      compute('blur', 'blurred', ['lit'], { queue: 'compute' }),
      last,
    ]);
    const changes = diffGraphs(before, after);
    expect(changes.filter((line) => line.includes('blur'))).toHaveLength(2);
    expect(changes.every((line) => /^[+-] /.test(line))).toBe(true);
  });
});
