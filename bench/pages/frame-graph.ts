/**
 * Runs a frame graph, frame after frame. It is as large as the graph of a deferred renderer with three views of one
 * size and three passes of users. Its passes record nothing, so only the graph is measured: set-up, comparison,
 * look-up, and the begin and end of passes.
 *
 *   per view   surfaces ─► lighting ─► scene ─► tone mapping     users': simulate ─► [each view] ─► mark
 */
import { createLocalStream } from '../../src/core/streams/page-stream.js';
import type { CompiledGraph } from '../../src/graph/compile.js';
import { graphStats } from '../../src/graph/description/picture-of.js';
import { FrameGraph } from '../../src/graph/frame-graph.js';
import type {
  GraphPass,
  GraphTexture,
  GraphTextureDescriptor,
  PassBuilder,
} from '../../src/graph/graph-pass.js';
import { rhiCommands } from '../../src/rhi/commands/commands.js';
import { TextureUsage } from '../../src/rhi/commands/descriptors.js';
import { ImmediateContext } from '../../src/rhi/record/immediate-context.js';

const VIEWS = 3;
const WIDTH = 1280;
const HEIGHT = 720;
const MICROSECONDS = 1000;

export interface GraphRun {
  /**
   * Microseconds per frame: with the previous frame's shape, with the shape of the frame before it, with a new shape.
   */
  readonly steady: number;
  readonly known: number;
  readonly compiled: number;
  readonly passes: number;
  readonly unsharedBytes: number;
  readonly sharedBytes: number;
}

declare global {
  interface Window {
    runGraph(frames: number): GraphRun;
    /** Runs frames of one shape only. */
    runSteady(frames: number): void;
  }
}

const { writer, reader } = createLocalStream({ table: rhiCommands });
const rhi = new ImmediateContext(writer, { maxFramesInFlight: 2 });
const graph = new FrameGraph(rhi);
const texture = (name: string, format: GPUTextureFormat): GraphTextureDescriptor => ({
  name,
  width: WIDTH,
  height: HEIGHT,
  format,
});
const surfaceDescriptor = texture('surface', 'rgba8unorm');
const surface = rhi.createTexture({
  ...surfaceDescriptor,
  label: 'surface',
  usage: TextureUsage.renderAttachment,
});

function pass(
  name: string,
  setup: (builder: PassBuilder) => void,
  kind: GraphPass['kind'] = 'raster',
): GraphPass {
  return { name, kind, setup, execute: () => {} };
}

let shown = 0 as GraphTexture;
const users: GraphPass[] = [
  pass(
    'simulate',
    (builder) => {
      builder.write(builder.createBuffer(particles), 'storage');
    },
    'compute',
  ),
  pass('mark', (builder) => {
    builder.read(builder.findBuffer('particles'), 'storage');
    shown = builder.color(shown);
  }),
];
const particles = { name: 'particles', byteLength: 65_536 };

function passesOf(view: number): GraphPass[] {
  const color = texture(`scene colour ${view}`, 'rgba16float');
  const depth = texture(`scene depth ${view}`, 'depth32float');
  const written = ['rgb10a2unorm', 'rgba16uint', 'rgba16uint'].map((format, index) =>
    texture(`surface ${index} of ${view}`, format as GPUTextureFormat),
  );
  let drawn = 0 as GraphTexture;
  let depths = 0 as GraphTexture;
  const surfaces: GraphTexture[] = [];
  return [
    pass(`surfaces ${view}`, (builder) => {
      drawn = builder.color(builder.createTexture(color));
      for (let index = 0; index < written.length; index++) {
        surfaces[index] = builder.color(builder.createTexture(written[index] as GraphTextureDescriptor));
      }
      depths = builder.depth(builder.createTexture(depth));
    }),
    pass(`lighting ${view}`, (builder) => {
      for (const each of surfaces) builder.read(each, 'sampled');
      builder.read(depths, 'sampled');
      drawn = builder.color(drawn);
    }),
    pass(`scene ${view}`, (builder) => {
      drawn = builder.color(drawn);
      depths = builder.depth(depths);
    }),
    pass(`tone mapping ${view}`, (builder) => {
      builder.read(drawn, 'sampled');
      shown = builder.color(shown);
    }),
  ];
}

const views = Array.from({ length: VIEWS }, (_, view) => passesOf(view));
const oneMore = pass('one more', (builder) => builder.keep(), 'copy');
/** More shapes than the graph keeps. */
const SHAPES = 8;
let frame = 0;

function drain(): void {
  while (reader.next());
}

/** Runs a frame. Returns the milliseconds of the graph, without `beginFrame`, `endFrame` and the reader's work. */
function runFrame(shape: number): number {
  rhi.beginFrame(++frame, 0);
  const began = performance.now();
  graph.begin(frame);
  graph.addPass(users[0] as GraphPass);
  shown = graph.importTexture(surfaceDescriptor, surface);
  for (const passes of views) for (const each of passes) graph.addPass(each);
  graph.addPass(users[1] as GraphPass);
  for (let index = 0; index < shape; index++) graph.addPass(oneMore);
  graph.prepare();
  graph.execute();
  const ended = performance.now();
  rhi.endFrame();
  rhi.publish();
  drain();
  return ended - began;
}

window.runSteady = (frames) => {
  for (let index = 0; index < frames; index++) runFrame(0);
};

window.runGraph = (frames) => {
  window.runSteady(frames);
  let steady = 0;
  for (let index = 0; index < frames; index++) steady += runFrame(0);
  let known = 0;
  for (let index = 0; index < frames; index++) known += runFrame(index % 2);
  let compiled = 0;
  const compilations = Math.ceil(frames / 10);
  for (let index = 0; index < compilations; index++) compiled += runFrame(index % SHAPES);
  const { passes, unsharedBytes, sharedBytes } = graphStats(graph.compiled as CompiledGraph);
  return {
    steady: (steady / frames) * MICROSECONDS,
    known: (known / frames) * MICROSECONDS,
    compiled: (compiled / compilations) * MICROSECONDS,
    passes,
    unsharedBytes,
    sharedBytes,
  };
};
