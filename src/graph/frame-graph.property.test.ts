import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextureUsage } from '../rhi/commands/descriptors.js';
import type { CompiledGraph } from './compile.js';
import type { FrameGraph } from './frame-graph.js';
import type { GraphPass, GraphTexture } from './graph-pass.js';
import { isWrite, versionNeeded } from './graph-shape.js';
import { GraphBench, pass, target } from './testing/graph-bench.js';

/** A pass of a random graph, with the indices of the textures that it samples and writes. */
interface RandomPass {
  readonly isCompute: boolean;
  readonly queue: GraphPass['queue'];
  readonly reads: readonly number[];
  readonly writes: readonly number[];
  readonly adds: boolean;
  readonly isKept: boolean;
}

/** Number of textures; the last one is the canvas. */
const TEXTURES = 6;
const CANVAS = TEXTURES - 1;

const randomPass: fc.Arbitrary<RandomPass> = fc.record({
  isCompute: fc.boolean(),
  queue: fc.constantFrom<GraphPass['queue'][]>('automatic', 'graphics', 'compute'),
  reads: fc.uniqueArray(fc.nat(CANVAS - 1), { maxLength: 3 }),
  writes: fc.uniqueArray(fc.nat(CANVAS), { minLength: 1, maxLength: 2 }),
  adds: fc.boolean(),
  isKept: fc.boolean(),
});

/** Describes a texture with one of two sizes, so that some textures can share memory and others can't. */
function describeTexture(index: number) {
  return target(`t${index}`, index % 3 === 0 ? { width: 32, height: 32 } : {});
}

/**
 * Turns random choices into passes that the graph accepts: they read only written textures, and a raster pass has one
 * attachment.
 */
function toPasses(choices: readonly RandomPass[]): GraphPass[] {
  const written = new Set<number>();
  return choices.map(({ isCompute, queue, reads, writes, adds, isKept }, index) => {
    const targets = isCompute ? writes.filter((texture) => texture !== CANVAS) : writes.slice(0, 1);
    const sources = reads.filter((texture) => written.has(texture) && !targets.includes(texture));
    const known = new Set(written);
    for (const texture of targets) written.add(texture);
    return pass(
      `p${index}`,
      (builder) => {
        for (const source of sources) builder.read(builder.findTexture(`t${source}`), 'sampled');
        for (const texture of targets) {
          const handle: GraphTexture = builder.has(`t${texture}`)
            ? builder.findTexture(`t${texture}`)
            : builder.createTexture(describeTexture(texture));
          const isAdded = adds && known.has(texture);
          if (!isCompute) builder.color(handle, isAdded ? {} : { clear: [0, 0, 0, 0] });
          else if (isAdded) builder.modify(handle, 'storage');
          else builder.write(handle, 'storage');
        }
        if (isKept) builder.keep();
      },
      { kind: isCompute ? 'compute' : 'raster', ...(isCompute && queue && { queue }) },
    );
  });
}

function compiledOf(choices: readonly RandomPass[]): CompiledGraph {
  const bench = new GraphBench();
  const texture = bench.rhi.createTexture({
    ...describeTexture(CANVAS),
    label: 'canvas',
    usage: TextureUsage.renderAttachment,
  });
  bench.frame(toPasses(choices), (graph: FrameGraph) => {
    graph.importTexture(describeTexture(CANVAS), texture, { hasContents: false });
  });
  return bench.graph.compiled as CompiledGraph;
}

const graphs = fc.array(randomPass, { minLength: 1, maxLength: 12 });

describe('X1, X2, X3, X4 any graph', () => {
  it('gives every reading pass the contents that the producer has written, in shared memory too', () => {
    fc.assert(
      fc.property(graphs, (choices) => {
        const compiled = compiledOf(choices);
        const memory = new Map<string, string>();
        const placeOf = (index: number): string => {
          const allocation = compiled.resources[index]?.allocation;
          return allocation === undefined ? `imported ${index}` : `memory ${allocation}`;
        };
        for (const { pass: executed } of compiled.passes) {
          for (const access of executed.accesses) {
            const version = versionNeeded(access);
            if (version === undefined) continue;
            const { index } = access.resource;
            expect(memory.get(placeOf(index))).toBe(`${index}.${version}`);
          }
          for (const access of executed.accesses) {
            const { index } = access.resource;
            // Unneeded contents are discarded, so their memory holds nothing.
            if (isWrite(access)) {
              memory.set(
                placeOf(index),
                compiled.isNeeded(access) ? `${index}.${access.version}` : 'nothing',
              );
            }
          }
        }
      }),
      { numRuns: 400 },
    );
  });

  it('executes exactly the kept passes and the passes that a result depends on', () => {
    fc.assert(
      fc.property(graphs, (choices) => {
        const compiled = compiledOf(choices);
        const executed = new Set(compiled.passes.map((each) => each.pass));
        const { passes } = compiled.shape;
        const isNeeded = (index: number): boolean => {
          const each = passes[index] as (typeof passes)[number];
          if (each.isKept) return true;
          return each.accesses.some(
            (access) =>
              isWrite(access) &&
              (access.resource.isResult ||
                passes.some(
                  (later, place) =>
                    place > index &&
                    isNeeded(place) &&
                    later.accesses.some(
                      (use) => use.resource === access.resource && versionNeeded(use) === access.version,
                    ),
                )),
          );
        };
        for (const [index, each] of passes.entries())
          expect(executed.has(each), each.name).toBe(isNeeded(index));
      }),
      { numRuns: 200 },
    );
  });

  it('never lets lifetimes overlap in shared memory, even if passes run on several queues', () => {
    fc.assert(
      fc.property(graphs, (choices) => {
        const compiled = compiledOf(choices);
        const lives = compiled.resources.filter((life) => life?.allocation !== undefined);
        for (const one of lives) {
          for (const other of lives) {
            if (one === other || one === undefined || other === undefined) continue;
            if (one.allocation !== other.allocation) continue;
            expect(one.diesAfter < other.bornBefore || other.diesAfter < one.bornBefore).toBe(true);
          }
        }
        for (const { pass: executed, overlap } of compiled.passes) {
          if (overlap === undefined) continue;
          for (const { resource } of executed.accesses) {
            const life = compiled.resources[resource.index];
            expect(life?.bornBefore).toBeLessThanOrEqual(overlap[0]);
            expect(life?.diesAfter).toBeGreaterThanOrEqual(overlap[1]);
          }
        }
      }),
      { numRuns: 400 },
    );
  });
});
