import { describe, expect, it } from 'vitest';
import { type TextureHandle, TextureUsage } from '../rhi/commands/descriptors.js';
import { CheckedPass, type UserPass } from './checked-pass.js';
import type { CompiledGraph } from './compile.js';
import { graphStats, pictureOf } from './description/picture-of.js';
import { FrameGraph } from './frame-graph.js';
import type { GraphPass, GraphTexture, PassContext, UserPassBuilder } from './graph-pass.js';
import { compute, draw, GraphBench, pass, type RhiCommand, target } from './testing/graph-bench.js';

const statsOf = ({ graph }: GraphBench) => graphStats(graph.compiled as CompiledGraph);

interface Attachment {
  readonly loadOp: string;
  readonly storeOp: string;
  readonly clearValue: readonly number[];
  readonly view: {
    readonly texture: number;
    readonly baseMipLevel?: number;
    readonly baseArrayLayer?: number;
  };
  readonly resolveTarget?: { readonly texture: number };
}

interface RenderPass {
  readonly label: string;
  readonly colorAttachments: readonly Attachment[];
  readonly depthStencilAttachment?: Readonly<Record<string, unknown>>;
}

function renderPasses(commands: readonly RhiCommand[]): RenderPass[] {
  return commands
    .filter(({ name }) => name === 'beginRenderPass')
    .map(({ values }) => values.descriptor as RenderPass);
}

function names(commands: readonly RhiCommand[]): string[] {
  return commands.map(({ name }) => name);
}

/** Returns a function that imports a canvas of 64 × 64 texels into a graph. */
function withCanvas(bench: GraphBench): (graph: FrameGraph) => void {
  const texture = bench.rhi.createTexture({
    label: 'canvas',
    width: 64,
    height: 64,
    format: 'rgba16float',
    usage: TextureUsage.renderAttachment | TextureUsage.textureBinding,
  });
  return (graph) => {
    graph.importTexture(target('canvas'), texture, { hasContents: false });
  };
}

describe('X1 setup, compile, execute', () => {
  it('runs every setup, then every prepare, then every execute, each in the order of set-up', () => {
    const bench = new GraphBench();
    const canvas = withCanvas(bench);
    const log: string[] = [];
    const logged = (inner: GraphPass): GraphPass => ({
      ...inner,
      setup: (builder) => {
        inner.setup(builder);
        log.push(`setup ${inner.name}`);
        bench.rhi.publish();
      },
      prepare: () => log.push(`prepare ${inner.name}`),
      execute: () => log.push(`execute ${inner.name}`),
    });
    bench.drain();
    const commands = bench.frame(
      [logged(draw('scene', 'scene colour')), logged(draw('present', 'canvas', ['scene colour']))],
      canvas,
    );
    expect(log).toEqual([
      'setup scene',
      'setup present',
      'prepare scene',
      'prepare present',
      'execute scene',
      'execute present',
    ]);
    expect(names(commands)).toEqual([
      'createTexture',
      'beginRenderPass',
      'endRenderPass',
      'beginRenderPass',
      'endRenderPass',
    ]);
    expect(renderPasses(commands).map(({ label }) => label)).toEqual(['scene', 'present']);
  });

  it('resolves the handles that a pass has declared, and derives the usage of a texture from its uses', () => {
    const bench = new GraphBench();
    const canvas = withCanvas(bench);
    let written: GraphTexture | undefined;
    const seen: number[] = [];
    const passes = [
      pass('make', (builder) => {
        written = builder.color(builder.createTexture(target('made')), { clear: [1, 0, 0, 1] });
      }),
      pass(
        'use',
        (builder) => {
          builder.read(written as GraphTexture, 'sampled');
          builder.color(builder.findTexture('canvas'));
        },
        { execute: (context) => seen.push(context.texture(written as GraphTexture)) },
      ),
    ];
    const commands = bench.frame(passes, canvas);
    const made = commands.find(
      ({ name, values }) =>
        name === 'createTexture' && String((values.descriptor as { label: string }).label).startsWith('made'),
    );
    expect(made?.values.descriptor).toMatchObject({
      width: 64,
      height: 64,
      usage: TextureUsage.renderAttachment | TextureUsage.textureBinding,
    });
    expect(seen).toEqual([made?.values.handle]);
  });

  it.each<[string, string, (builder: Parameters<GraphPass['setup']>[0]) => void, string]>([
    [
      'a read of contents that no pass has written',
      'graph-nothing-written',
      (builder) => builder.read(builder.createTexture(target('x')), 'sampled'),
      'reads "x", which no pass before it has written',
    ],
    [
      'a texture that is both read and drawn',
      'graph-cycle',
      (builder) => {
        builder.read(builder.findTexture('first'), 'sampled');
        builder.color(builder.findTexture('first'));
      },
      'reads and writes "first", as sampled and as color',
    ],
    [
      'one texture as two attachments',
      'graph-two-writers',
      (builder) => {
        builder.color(builder.findTexture('first'));
        builder.color(builder.findTexture('first'));
      },
      'writes "first" twice',
    ],
    [
      'an unknown name',
      'graph-resource-unknown',
      (builder) => builder.findTexture('shadow'),
      'asks for the texture "shadow", which does not exist at this point of the frame. Existing resources: "canvas", "first".',
    ],
    [
      'an unknown use',
      'graph-use-refused',
      (builder) => builder.read(builder.findTexture('first'), 'vertex' as 'sampled'),
      'as "vertex", which a raster pass can\'t',
    ],
    [
      'a raster pass without attachments',
      'graph-attachment-invalid',
      (builder) => builder.keep(),
      'without attachments',
    ],
    [
      'attachments of two sizes',
      'graph-attachment-invalid',
      (builder) => {
        builder.color(builder.findTexture('first'));
        builder.color(builder.createTexture(target('small', { width: 32 })));
      },
      '"first" (64 × 64, samples: 1) and "small" (32 × 64, samples: 1)',
    ],
    [
      'a depth texture in a colour slot',
      'graph-attachment-invalid',
      (builder) => builder.color(builder.createTexture(target('d', { format: 'depth32float' }))),
      'attaches "d" as colour; its format is depth32float',
    ],
    [
      'a mip level that the texture does not have',
      'graph-attachment-invalid',
      (builder) => builder.color(builder.findTexture('first'), { mipLevel: 1 }),
      'uses mip level 1',
    ],
    [
      'a name that is taken',
      'graph-name-taken',
      (builder) => builder.createTexture(target('first')),
      'can\'t be named "first"',
    ],
    [
      'a size of zero',
      'graph-descriptor-invalid',
      (builder) => builder.createTexture(target('none', { width: 0 })),
      '0 × 64 texels',
    ],
    [
      'an unknown field of a texture',
      'graph-descriptor-invalid',
      (builder) => builder.createTexture(target('none', { samples: 4 } as never)),
      'The texture "none" of the frame graph has no "samples". It takes name, width, height, format, sampleCount',
    ],
    [
      'a field that only lasting textures have',
      'graph-descriptor-invalid',
      (builder) => builder.createTexture(target('none', { isStorage: true } as never)),
      'has no "isStorage"',
    ],
    [
      'a buffer without a descriptor',
      'graph-descriptor-invalid',
      (builder) => builder.createBuffer(undefined as never),
      'A buffer of the frame graph is described by an object, not by undefined.',
    ],
    [
      'an unknown option of a colour attachment',
      'graph-descriptor-invalid',
      (builder) => builder.color(builder.findTexture('first'), { clearValue: [0, 0, 0, 1] } as never),
      'color() of the pass "bad" has no "clearValue". It takes slot, clear, viewFormat, resolveTo, mipLevel, layer.',
    ],
    [
      'an option of a depth attachment that is neither true nor false',
      'graph-descriptor-invalid',
      (builder) => builder.depth(builder.findTexture('first'), { readOnly: 'no' } as never),
      'depth() of the pass "bad" has the readOnly "no"; it has to be true or false.',
    ],
    [
      'a clear colour with NaN',
      'graph-attachment-invalid',
      (builder) => builder.color(builder.findTexture('first'), { clear: [Number.NaN, 0, 0, 1] }),
      'four finite numbers',
    ],
    [
      'a number that is not a handle',
      'graph-handle-stale',
      (builder) => builder.read(7 as GraphTexture, 'sampled'),
      'uses 7',
    ],
  ])('refuses %s, names it, and continues the frame without the pass', (_, code, setup, message) => {
    const bench = new GraphBench();
    const canvas = withCanvas(bench);
    const good = draw('good', 'first');
    const bad = pass('bad', setup);
    const last = draw('last', 'canvas', ['first']);
    const before = bench.frame([good, last], canvas);
    const after = bench.frame([good], (graph) => {
      canvas(graph);
      graph.addPass(good);
      expect(() => graph.addPass(bad)).toThrowError(expect.objectContaining({ code }));
      expect(() => graph.addPass(bad)).toThrowError(message);
      graph.addPass(last);
      graph.prepare();
      graph.execute();
      graph.begin(0);
      canvas(graph);
    });
    expect(renderPasses(before).map(({ label }) => label)).toEqual(['good', 'last']);
    expect(renderPasses(after).map(({ label }) => label)).toEqual(['good', 'last']);
  });

  it('refuses a second writer of one version, and a reader of overwritten contents', () => {
    const bench = new GraphBench();
    const canvas = withCanvas(bench);
    let first: GraphTexture | undefined;
    bench.frame([], (graph) => {
      canvas(graph);
      graph.addPass(
        pass('one', (builder) => {
          first = builder.color(builder.createTexture(target('x')), { clear: [0, 0, 0, 0] });
        }),
      );
      graph.addPass(pass('two', (builder) => builder.color(first as GraphTexture)));
      expect(() => graph.addPass(pass('three', (builder) => builder.color(first as GraphTexture)))).toThrow(
        'The pass "three" writes to contents of "x" that the pass "two" has written to already',
      );
      expect(() =>
        graph.addPass(pass('four', (builder) => builder.read(first as GraphTexture, 'sampled'))),
      ).toThrow('The pass "four" reads contents of "x" that the pass "two" has overwritten');
    });
  });

  it('refuses the use of an undeclared resource, naming the pass and the resource', () => {
    const bench = new GraphBench();
    const canvas = withCanvas(bench);
    let hidden: GraphTexture | undefined;
    let context: PassContext | undefined;
    const passes = [
      pass('make', (builder) => {
        hidden = builder.color(builder.createTexture(target('hidden')), { clear: [0, 0, 0, 0] });
        builder.keep();
      }),
      pass('curious', (builder) => builder.color(builder.findTexture('canvas')), {
        execute: (given) => {
          context = given;
          given.texture(hidden as GraphTexture);
        },
      }),
    ];
    expect(() => bench.frame(passes, canvas)).toThrow(
      'The pass "curious" uses "hidden" without having declared it',
    );
    const other = new GraphBench();
    other.frame([
      pass(
        'make',
        (builder) => {
          hidden = builder.color(builder.createTexture(target('hidden')), { clear: [0, 0, 0, 0] });
          builder.keep();
        },
        { execute: (given) => (context = given) },
      ),
    ]);
    expect(() => context?.texture(hidden as GraphTexture)).toThrowError(
      expect.objectContaining({ code: 'graph-outside-execute' }),
    );
  });

  it('refuses handles of another frame', () => {
    const bench = new GraphBench();
    const canvas = withCanvas(bench);
    let kept: GraphTexture | undefined;
    const keep = pass('keep', (builder) => {
      kept ??= builder.createTexture(target('x'));
      builder.color(kept, { clear: [0, 0, 0, 0] });
      builder.keep();
    });
    bench.frame([keep], canvas);
    expect(() => bench.frame([keep], canvas)).toThrowError(
      expect.objectContaining({ code: 'graph-handle-stale' }),
    );
  });

  it('refuses a handle whose pass was absent from 2 to 1,000 frames', () => {
    const bench = new GraphBench();
    let kept: GraphTexture | undefined;
    const accepted: number[] = [];
    const keep = pass('keep', (builder) => {
      const own = builder.createTexture(target('x'));
      builder.color(kept ?? own, { clear: [0, 0, 0, 0] });
      kept ??= own;
    });
    bench.graph.begin(0);
    bench.graph.addPass(keep);
    for (let frame = 1; frame < 1000; frame++) {
      bench.graph.begin(frame);
      try {
        bench.graph.addPass(keep);
        accepted.push(frame);
      } catch (error) {
        expect(error).toMatchObject({ code: 'graph-handle-stale' });
      }
    }
    expect(accepted).toEqual([]);
  });

  it('refuses handles of a pass whose set-up has failed', () => {
    const bench = new GraphBench();
    const canvas = withCanvas(bench);
    const kept: GraphTexture[] = [];
    bench.frame([], (graph) => {
      canvas(graph);
      const failing = pass('failing', (builder) => {
        kept.push(builder.color(builder.createTexture(target('x')), { clear: [0, 0, 0, 0] }));
        kept.push(builder.color(builder.findTexture('canvas'), { clear: [0, 0, 0, 0] }));
        throw new Error('failed');
      });
      expect(() => graph.addPass(failing)).toThrow('failed');
      graph.addPass(draw('scene', 'canvas'));
      graph.addPass(draw('other', 'y'));
      for (const texture of kept) {
        expect(() => graph.addPass(pass('late', (builder) => builder.read(texture, 'sampled')))).toThrowError(
          expect.objectContaining({ code: 'graph-handle-stale' }),
        );
      }
    });
  });
});

describe('X2 culling', () => {
  it('appends the view’s suffix to names of new resources, and finds resources of the same view first', () => {
    const bench = new GraphBench();
    const canvas = withCanvas(bench);
    const found: string[] = [];
    const blur = (suffix: string) => {
      const nameOf = (builder: UserPassBuilder, name: string) =>
        builder.describe(builder.findTexture(name)).name;
      return new CheckedPass(
        bench.graph,
        bench.rhi,
        {
          name: 'blur',
          kind: 'raster',
          setup(builder) {
            builder.color(builder.createTexture(target('half')), { clear: [0, 0, 0, 0] });
            builder.createBuffer({ name: 'sums', byteLength: 4 });
            builder.lastingBuffer({ name: 'weights', byteLength: 4 });
            found.push(nameOf(builder, 'half'), nameOf(builder, 'canvas'), nameOf(builder, 'scene'));
            builder.keep();
          },
          execute: () => {},
        },
        suffix,
      );
    };
    bench.frame([], (graph) => {
      canvas(graph);
      for (const suffix of ['', ', view 1']) {
        const scene = target(`scene${suffix}`);
        graph.addPass(
          pass(
            'draw',
            (builder) => void builder.color(builder.createTexture(scene), { clear: [0, 0, 0, 0] }),
          ),
        );
        graph.setup.addPass(blur(suffix));
      }
      expect(() => graph.setup.addPass(blur(', view 1'))).toThrow(
        /can't be named "half, view 1": names are non-empty and unique/,
      );
    });
    expect(found).toEqual(['half', 'canvas', 'scene', 'half, view 1', 'canvas', 'scene, view 1']);
  });

  it('leaves out unneeded passes and resources, and records no commands for them', () => {
    const bench = new GraphBench();
    const canvas = withCanvas(bench);
    bench.drain();
    const used = [draw('scene', 'a'), draw('present', 'canvas', ['a'])];
    const alone = bench.frame(used, canvas);
    const other = new GraphBench();
    const otherCanvas = withCanvas(other);
    other.drain();
    const withUnused = other.frame(
      [
        used[0] as GraphPass,
        draw('unused', 'b', ['a']),
        draw('unused too', 'c', ['b']),
        used[1] as GraphPass,
      ],
      otherCanvas,
    );
    expect(withUnused).toEqual(alone);
    expect(statsOf(other)).toMatchObject({ passes: 2, culledPasses: 2 });
    const picture = pictureOf(
      other.graph.compiled as NonNullable<typeof other.graph.compiled>,
      other.graph.setup.passes,
    );
    expect(picture.passes.filter(({ isCulled }) => isCulled).map(({ name }) => name)).toEqual([
      'unused',
      'unused too',
    ]);
    expect(picture.resources.find(({ name }) => name === 'b')).toMatchObject({ lives: null, memory: null });
  });

  it('creates lasting resources with the first frame whose passes use them, and none for a pass that is left out', () => {
    const bench = new GraphBench();
    let isNeeded = false;
    let size = 64;
    const lasting: UserPass = {
      name: 'lasting',
      kind: 'compute',
      setup(builder) {
        builder.modify(builder.lastingBuffer({ name: 'sums', byteLength: size }), 'storage');
        builder.modify(builder.lastingTexture({ ...target('history'), isStorage: true }), 'storage');
        if (isNeeded) builder.keep();
      },
      execute: () => {},
    };
    // The graph executes a pass that writes lasting resources. Without `keep()`, it culls a pass that writes only its
    // own transient buffer.
    const idle: UserPass = {
      name: 'idle',
      kind: 'compute',
      setup(builder) {
        builder.read(builder.lastingBuffer({ name: 'unread', byteLength: 16 }), 'storage');
        builder.write(builder.createBuffer({ name: 'scratch', byteLength: 16 }), 'storage');
        if (isNeeded) builder.keep();
      },
      execute: () => {},
    };
    const pair = [
      new CheckedPass(bench.graph, bench.rhi, lasting),
      new CheckedPass(bench.graph, bench.rhi, idle),
    ];
    const made = (): unknown[] =>
      bench
        .frame(pair)
        .filter(({ name }) => name === 'createBuffer' || name === 'createTexture')
        .map(({ values }) => (values.descriptor as { label: string }).label);
    expect(made()).toEqual(['sums', 'history']);
    expect(made()).toEqual([]);
    isNeeded = true;
    expect(made().sort()).toEqual(['scratch', 'unread'].sort());
    size = 128;
    expect(made()).toEqual(['sums']);
    expect(made()).toEqual([]);
  });

  it('keeps the producers of textures that a pass adds to, and passes that call keep()', () => {
    const bench = new GraphBench();
    const passes = [
      draw('first', 'x'),
      pass('added', (builder) => builder.color(builder.findTexture('x'))),
      pass(
        'effect',
        (builder) => {
          builder.read(builder.findTexture('x'), 'sampled');
          builder.write(builder.createBuffer({ name: 'log', byteLength: 16 }), 'storage');
          builder.keep();
        },
        { kind: 'compute' },
      ),
      pass('overwritten', (builder) => builder.color(builder.findTexture('x'), { clear: [0, 0, 0, 0] })),
    ];
    bench.frame(passes);
    expect(bench.graph.compiled?.passes.map(({ pass: { name } }) => name)).toEqual([
      'first',
      'added',
      'effect',
    ]);
  });
});

describe('X3 lifetimes and transient pooling', () => {
  it('lets resources share one texture if their lifetimes do not overlap, and reports the saved bytes', () => {
    const bench = new GraphBench();
    const canvas = withCanvas(bench);
    // Lifetimes from first to last pass are a: 0 to 1, b: 1 to 2, c: 2 to 3, d: 3 to 4. So a and c share one texture,
    // b and d another.
    const passes = [
      draw('p0', 'a'),
      draw('p1', 'b', ['a']),
      draw('p2', 'c', ['b']),
      draw('p3', 'd', ['c']),
      draw('p4', 'canvas', ['d']),
    ];
    const commands = bench.frame(passes, canvas);
    // Two shared textures, and the canvas.
    expect(names(commands).filter((name) => name === 'createTexture')).toHaveLength(2 + 1);
    const textures = renderPasses(commands).map(({ colorAttachments }) => colorAttachments[0]?.view.texture);
    expect(textures[0]).toBe(textures[2]);
    expect(textures[1]).toBe(textures[3]);
    expect(textures[0]).not.toBe(textures[1]);
    expect(statsOf(bench)).toMatchObject({ unsharedBytes: 4 * 32_768, sharedBytes: 2 * 32_768 });
  });

  it('does not let resources share a texture if their formats differ or their lifetimes overlap', () => {
    const bench = new GraphBench();
    const canvas = withCanvas(bench);
    const passes = [
      draw('p0', 'a'),
      pass('p1', (builder) => {
        builder.read(builder.findTexture('a'), 'sampled');
        builder.color(builder.createTexture(target('b', { format: 'rgba8unorm' })), { clear: [0, 0, 0, 0] });
      }),
      draw('p2', 'c', ['b']),
      draw('p3', 'canvas', ['c']),
    ];
    const commands = bench.frame(passes, canvas);
    const [a, b, c] = renderPasses(commands).map(({ colorAttachments }) => colorAttachments[0]?.view.texture);
    expect(c).toBe(a);
    expect(b).not.toBe(a);
  });

  it('loads needed contents, clears undefined ones, and discards unread ones', () => {
    const bench = new GraphBench();
    const canvas = withCanvas(bench);
    const passes = [
      pass('scene', (builder) => {
        const drawn = builder.createTexture(target('samples', { sampleCount: 4 }));
        const depth = builder.createTexture(target('depth', { sampleCount: 4, format: 'depth32float' }));
        builder.color(drawn, { clear: [1, 2, 3, 4], resolveTo: builder.createTexture(target('resolved')) });
        builder.depth(depth, { clear: 0.5 });
      }),
      pass('more', (builder) => {
        builder.color(builder.findTexture('resolved'));
        builder.color(builder.createTexture(target('undefined')));
      }),
      draw('present', 'canvas', ['resolved']),
    ];
    const commands = bench.frame(passes, canvas);
    const [scene, more, present] = renderPasses(commands);
    expect(scene?.colorAttachments[0]).toMatchObject({
      loadOp: 'clear',
      storeOp: 'discard',
      clearValue: [1, 2, 3, 4],
    });
    expect(scene?.colorAttachments[0]?.resolveTarget?.texture).toBe(more?.colorAttachments[0]?.view.texture);
    expect(scene?.depthStencilAttachment).toMatchObject({
      depthLoadOp: 'clear',
      depthStoreOp: 'discard',
      depthClearValue: 0.5,
    });
    expect(more?.colorAttachments[0]).toMatchObject({ loadOp: 'load', storeOp: 'store' });
    expect(more?.colorAttachments[1]).toMatchObject({ loadOp: 'clear', storeOp: 'discard' });
    expect(present?.colorAttachments[0]).toMatchObject({ loadOp: 'clear', storeOp: 'store' });
  });

  it('draws to single layers and mip levels of a texture, and reads one level while it writes another', () => {
    const bench = new GraphBench();
    const canvas = withCanvas(bench);
    const passes = [
      pass('cascade 0', (builder) => {
        const map = builder.createTexture(target('shadows', { format: 'depth32float', layers: 2 }));
        builder.depth(map, { layer: 0, clear: 0 });
      }),
      pass('cascade 1', (builder) => builder.depth(builder.findTexture('shadows'), { layer: 1, clear: 0 })),
      pass('level 0', (builder) => {
        builder.read(builder.findTexture('shadows'), 'sampled');
        builder.color(builder.createTexture(target('bloom', { mipLevelCount: 2 })), { mipLevel: 0 });
      }),
      pass('level 1', (builder) => {
        builder.read(builder.findTexture('bloom'), 'sampled', { mipLevel: 0 });
        builder.color(builder.findTexture('bloom'), { mipLevel: 1 });
      }),
      draw('present', 'canvas', ['bloom']),
    ];
    const commands = bench.frame(passes, canvas);
    const described = renderPasses(commands);
    expect(described.map(({ label }) => label)).toEqual([
      'cascade 0',
      'cascade 1',
      'level 0',
      'level 1',
      'present',
    ]);
    expect(described[1]?.depthStencilAttachment).toMatchObject({
      depthStoreOp: 'store',
      view: { baseArrayLayer: 1, arrayLayerCount: 1, dimension: '2d' },
    });
    expect(described[2]?.colorAttachments[0]).toMatchObject({ storeOp: 'store', view: { baseMipLevel: 0 } });
    expect(described[3]?.colorAttachments[0]).toMatchObject({ storeOp: 'store', view: { baseMipLevel: 1 } });
  });

  it('M3: keeps textures for the same passes, reuses them for other passes, and frees them after 30 unused frames', () => {
    const bench = new GraphBench();
    const canvas = withCanvas(bench);
    const large = [draw('p0', 'a'), draw('p1', 'b', ['a']), draw('p2', 'canvas', ['b'])];
    const small = [draw('p0', 'a'), draw('p2', 'canvas', ['a'])];
    bench.frame(large, canvas);
    expect(names(bench.frame(large, canvas))).not.toContain('createTexture');
    expect(bench.graph.compilations).toBe(1);
    expect(names(bench.frame(small, canvas))).not.toContain('createTexture');
    expect(bench.graph.poolStats).toMatchObject({ count: 2, unusedBytes: 32_768, created: 2, destroyed: 0 });
    for (let frame = 0; frame < 29; frame++) bench.frame(small, canvas);
    expect(bench.graph.poolStats).toMatchObject({ count: 2, destroyed: 0 });
    // M3: after 30 frames no pending list uses the texture, so it is freed at once.
    const last = names(bench.frame(small, canvas));
    expect(last.slice(-2)).toEqual(['assumeNotInUse', 'destroyResource']);
    expect(bench.graph.poolStats).toMatchObject({ count: 1, unusedBytes: 0, destroyed: 1 });
  });

  it('reuses the plan of a recent shape, with the same resources', () => {
    const bench = new GraphBench();
    const canvas = withCanvas(bench);
    const versions: number[] = [];
    const note = (pass: GraphPass): GraphPass => ({
      ...pass,
      prepare: ({ version }) => versions.push(version),
    });
    const shapes = [
      [note(draw('p0', 'a')), draw('p1', 'b', ['a']), draw('p2', 'canvas', ['b'])],
      [note(draw('p0', 'a')), draw('p2', 'canvas', ['a'])],
    ] as const;
    for (const shape of shapes) bench.frame([...shape], canvas);
    for (let turn = 0; turn < 3; turn++) {
      for (const shape of shapes)
        expect(names(bench.frame([...shape], canvas))).not.toContain('createTexture');
    }
    expect(bench.graph.compilations).toBe(2);
    const [first, second] = versions;
    expect(first).not.toBe(second);
    expect(versions).toEqual([first, second, first, second, first, second, first, second]);
  });

  it('X1: skips an idle pass and its render pass, without a new plan and without losing its output', () => {
    const bench = new GraphBench();
    const { rhi } = bench;
    const graph = new FrameGraph(rhi);
    const usage = TextureUsage.renderAttachment | TextureUsage.textureBinding;
    const [maps, canvas] = ['maps', 'canvas'].map((label) =>
      rhi.createTexture({ label, width: 64, height: 64, format: 'rgba16float', usage }),
    ) as [TextureHandle, TextureHandle];
    const calls: string[] = [];
    let isIdle = false;
    const frame = (number: number) => {
      calls.length = 0;
      rhi.beginFrame(number, 0);
      graph.begin(number);
      const shadows = graph.importTexture(target('maps'), maps);
      graph.importTexture(target('canvas'), canvas, { hasContents: false });
      graph.addPass({
        ...pass('maps', (builder) => builder.color(shadows)),
        isIdle,
        prepare: () => calls.push('prepared'),
        execute: () => calls.push('executed'),
      });
      graph.addPass(draw('scene', 'canvas', ['maps']));
      graph.prepare();
      graph.execute();
      rhi.endFrame();
      return renderPasses(bench.drain());
    };
    expect(frame(1).map(({ label }) => label)).toEqual(['maps', 'scene']);
    expect(calls).toEqual(['prepared', 'executed']);
    isIdle = true;
    expect(frame(2).map(({ label }) => label)).toEqual(['scene']);
    expect(calls).toEqual([]);
    isIdle = false;
    // The pass loads its output of frame 1, and stores the result.
    expect(frame(3)[0]?.colorAttachments[0]).toMatchObject({ loadOp: 'load', storeOp: 'store' });
    expect(graph.compilations).toBe(1);
  });

  it('compiles a plan again after four others have been used', () => {
    const bench = new GraphBench();
    const canvas = withCanvas(bench);
    const frame = (shape: number) =>
      bench.frame([draw(`p${shape}`, 'a'), draw('last', 'canvas', ['a'])], canvas);
    for (const shape of [0, 1, 2, 3, 0]) frame(shape);
    expect(bench.graph.compilations).toBe(4);
    // Shape 4 replaces the plan of shape 1, which was used longest ago.
    for (const shape of [4, 0]) frame(shape);
    expect(bench.graph.compilations).toBe(5);
    frame(1);
    expect(bench.graph.compilations).toBe(6);
  });

  it('purges unused resources at once', () => {
    const bench = new GraphBench();
    const canvas = withCanvas(bench);
    bench.frame([draw('p0', 'a'), draw('p1', 'b', ['a']), draw('p2', 'canvas', ['b'])], canvas);
    bench.frame([draw('p2', 'canvas')], canvas);
    bench.graph.purge();
    expect(bench.graph.poolStats).toMatchObject({ count: 0, bytes: 0, destroyed: 2 });
    // Without `assumeNotInUse`, the executor keeps both textures in its release queue until no pending list uses them.
    expect(names(bench.drain())).toEqual(['destroyResource', 'destroyResource']);
  });

  it('changes the version when handles resolve to other textures', () => {
    const bench = new GraphBench();
    const versions: number[] = [];
    const make = (label: string) =>
      bench.rhi.createTexture({
        label,
        width: 64,
        height: 64,
        format: 'rgba16float',
        usage: TextureUsage.renderAttachment,
      });
    const textures = [make('even'), make('odd')];
    const present = draw('present', 'canvas', [], { execute: ({ version }) => versions.push(version) });
    for (const index of [0, 0, 1, 0, 0]) {
      bench.frame([present], (graph) => graph.importTexture(target('canvas'), textures[index] as never));
    }
    const [first = 0] = versions;
    expect(versions.map((version) => version - first)).toEqual([0, 0, 1, 2, 2]);
  });
});

describe('X4 queues', () => {
  const passes = (queue?: GraphPass['queue']): GraphPass[] => [
    draw('depth', 'depths'),
    compute('occlusion', 'occluded', ['depths'], queue ? { queue } : {}),
    draw('shadow', 'shadows'),
    draw('scene', 'lit', ['occluded', 'shadows']),
    draw('present', 'canvas', ['lit']),
  ];
  const queueOf = (bench: GraphBench, name: string) =>
    bench.graph.compiled?.passes.find((each) => each.pass.name === name);

  it('moves a compute pass to the compute queue only if other passes can run beside it', () => {
    const bench = new GraphBench();
    const canvas = withCanvas(bench);
    const commands = bench.frame(passes(), canvas);
    expect(queueOf(bench, 'occlusion')).toMatchObject({ queue: 'compute', overlap: [1, 2] });
    expect(queueOf(bench, 'shadow')).toMatchObject({ queue: 'graphics' });
    const queues = commands.filter(({ name }) => name === 'setQueue').map(({ values }) => values.queue);
    expect(queues).toEqual([1, 0]);
    const direct = new GraphBench();
    direct.frame(
      [
        draw('depth', 'depths'),
        compute('occlusion', 'occluded', ['depths']),
        draw('present', 'canvas', ['occluded']),
      ],
      withCanvas(direct),
    );
    expect(queueOf(direct, 'occlusion')).toMatchObject({ queue: 'graphics', overlap: undefined });
  });

  it('follows the queue that a pass declares', () => {
    const bench = new GraphBench();
    const canvas = withCanvas(bench);
    bench.frame(passes('graphics'), canvas);
    expect(queueOf(bench, 'occlusion')).toMatchObject({ queue: 'graphics', overlap: undefined });
    bench.frame(passes('compute'), canvas);
    expect(queueOf(bench, 'occlusion')).toMatchObject({ queue: 'compute' });
  });

  it('refuses a queue that cannot execute the pass', () => {
    const bench = new GraphBench();
    const canvas = withCanvas(bench);
    const onCompute = draw('drawing', 'x', [], { queue: 'compute' });
    expect(() => bench.frame([onCompute], canvas)).toThrow(
      'The raster pass "drawing" can\'t run on the queue "compute". It can run on: automatic, graphics.',
    );
  });

  it('extends the lifetimes of a compute pass’s resources to the point where the queues meet again', () => {
    const bench = new GraphBench();
    const canvas = withCanvas(bench);
    bench.frame(passes('compute'), canvas);
    const life = (name: string) =>
      bench.graph.compiled?.resources.find((each) => each?.resource.name === name) ?? undefined;
    // `occlusion` (pass 1) reads `depths` and may run beside `shadow` (pass 2), so `shadows` needs another texture.
    expect(life('depths')).toMatchObject({ firstUse: 0, lastUse: 1, diesAfter: 2 });
    expect(life('depths')?.allocation).not.toBe(life('shadows')?.allocation);
    bench.frame(passes('graphics'), canvas);
    expect(life('depths')).toMatchObject({ lastUse: 1, diesAfter: 1 });
    expect(life('depths')?.allocation).toBe(life('shadows')?.allocation);
  });
});
