import { decodeRecord } from '../../core/records/record-codec.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { rhiCommands } from '../../rhi/commands/commands.js';
import { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { validate } from '../../rhi/validation/validate.js';
import { FrameGraph } from '../frame-graph.js';
import type {
  GraphPass,
  GraphTexture,
  GraphTextureDescriptor,
  PassBuilder,
  PassContext,
} from '../graph-pass.js';
import { checkGraph } from '../pass-checker.js';

/** A recorded RHI command. */
export interface RhiCommand {
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** A frame graph for tests. `frame` and `drain` return RHI commands, or throw the first validation error. */
export class GraphBench {
  private readonly list = createLocalStream({ table: rhiCommands });
  private readonly faults: Error[] = [];
  private readonly reader = validate(this.list.reader, { onError: (error) => this.faults.push(error) });
  readonly rhi = new ImmediateContext(this.list.writer, { maxFramesInFlight: 2 });
  readonly graph = new FrameGraph(this.rhi);
  private number = 0;

  constructor() {
    checkGraph(this.graph, this.rhi);
  }

  /**
   * Records one frame with these passes.
   * @param before called before the passes are added, for example to import textures
   * @returns all commands since the last `drain`, without `beginFrame` and `endFrame`
   */
  frame(passes: readonly GraphPass[], before: (graph: FrameGraph) => void = () => {}): RhiCommand[] {
    const { graph, rhi } = this;
    rhi.beginFrame(++this.number, 0);
    graph.begin(this.number);
    before(graph);
    for (const pass of passes) graph.addPass(pass);
    graph.prepare();
    graph.execute();
    rhi.endFrame();
    return this.drain().filter(({ name }) => name !== 'beginFrame' && name !== 'endFrame');
  }

  /** Returns the commands recorded since the last call. */
  drain(): RhiCommand[] {
    this.rhi.publish();
    const commands: RhiCommand[] = [];
    while (this.reader.next()) {
      const { name, values } = decodeRecord(rhiCommands, this.reader);
      commands.push({ name, values: values as Record<string, unknown> });
    }
    const [fault] = this.faults;
    if (fault) throw fault;
    return commands;
  }
}

/** Returns a texture descriptor. The default is 64 × 64 texels of `rgba16float`, which take 32,768 bytes. */
export function target(name: string, rest: Partial<GraphTextureDescriptor> = {}): GraphTextureDescriptor {
  return { name, width: 64, height: 64, format: 'rgba16float', ...rest };
}

interface Options {
  readonly kind?: GraphPass['kind'];
  readonly queue?: GraphPass['queue'];
  readonly execute?: (context: PassContext) => void;
}

export function pass(name: string, setup: (builder: PassBuilder) => void, options: Options = {}): GraphPass {
  const { kind = 'raster', execute = () => {}, queue } = options;
  return { name, kind, setup, execute, ...(queue && { queue }) };
}

/** Returns a raster pass that samples the textures `from` and clears the texture `to`. Creates a missing `to`. */
export function draw(
  name: string,
  to: string,
  from: readonly string[] = [],
  options: Options = {},
): GraphPass {
  return pass(
    name,
    (builder) => {
      for (const source of from) builder.read(builder.findTexture(source), 'sampled');
      const drawn: GraphTexture = builder.has(to)
        ? builder.findTexture(to)
        : builder.createTexture(target(to));
      builder.color(drawn, { clear: [0, 0, 0, 1] });
    },
    options,
  );
}

/** Returns a compute pass that samples the textures named `from` and writes a new texture named `to`. */
export function compute(
  name: string,
  to: string,
  from: readonly string[] = [],
  options: Options = {},
): GraphPass {
  return pass(
    name,
    (builder) => {
      for (const source of from) builder.read(builder.findTexture(source), 'sampled');
      builder.write(builder.createTexture(target(to)), 'storage');
    },
    { kind: 'compute', ...options },
  );
}
