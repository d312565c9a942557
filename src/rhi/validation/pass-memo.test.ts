/** H8: when a pass that is the same as before is sound without a look, and when it is looked at again. */
import { describe, expect, it } from 'vitest';
import {
  type BufferHandle,
  BufferUsage,
  type RenderPassDescriptor,
  type TextureHandle,
} from '../commands/descriptors.js';
import { assumeNotInUse } from '../mapping/assume-not-in-use.js';
import { DYNAMIC_PAGE_LABEL } from '../memory/dynamic-buffers.js';
import { PageValidator } from './page-validator.js';
import type { ValidationOptions } from './validate.js';
import { ValidationBench } from './validation.test-support.js';

const { vertex, indirect, copyTarget } = BufferUsage;

/** Remembers passes of any length. */
const remembering = (options: Partial<ValidationOptions> = {}): ValidationBench =>
  new ValidationBench(options, (reader, options) => new PageValidator(reader, options, 0));

const hits = ({ reader }: ValidationBench): number => (reader as PageValidator).memo?.hits ?? 0;

/** A bench with a pass of one draw that was remembered, and `frame`, which records it once more. */
function remembered(options?: Partial<ValidationOptions>) {
  const bench = remembering(options);
  const { rhi } = bench;
  const parts = bench.scene();
  const target = bench.texture('target');
  const other = bench.texture('other', { format: 'rgba16float' });
  let number = 0;
  const frame = (before: () => void = () => {}, more: Partial<RenderPassDescriptor> = {}, view = target) => {
    const known = hits(bench);
    bench.frame(++number, () => {
      before();
      rhi.beginRenderPass(bench.pass(view, more));
      rhi.pushDebugGroup('all');
      parts.set();
      rhi.setBindGroup(0, parts.group, [512]);
      rhi.drawIndexed(3);
      rhi.drawIndirect(parts.vertices, 0);
      rhi.popDebugGroup();
      rhi.endRenderPass();
    });
    return { ...bench.run(), isKnown: hits(bench) > known };
  };
  expect(frame().codes).toEqual([]);
  const { codes, passed, isKnown } = frame();
  expect({ codes, isKnown }).toEqual({ codes: [], isKnown: true });
  return { bench, rhi, ...parts, target, other, frame, passed };
}

describe('H8 a remembered pass', () => {
  it('is sound from its second frame on, and handed on whole', () => {
    const { frame, passed } = remembered();
    expect(frame()).toEqual({ codes: [], passed, isKnown: true });
    expect(passed.slice(1, -1)).toEqual([
      'beginRenderPass',
      'pushDebugGroup',
      'setGraphicsPipeline',
      'setBindGroup',
      'setVertexBuffer',
      'setIndexBuffer',
      'setBindGroup',
      'drawIndexed',
      'drawIndirect',
      'popDebugGroup',
      'endRenderPass',
    ]);
  });

  it('is sound though the pass has another label and clears to another colour', () => {
    const { frame, target } = remembered();
    const view = { texture: target };
    const colorAttachments = [{ view, loadOp: 'clear', storeOp: 'store', clearValue: [1, 0, 0, 1] }] as const;
    expect(frame(undefined, { label: 'red', colorAttachments }).isKnown).toBe(true);
  });

  it.each<[string, string, (scene: ReturnType<typeof remembered>) => void]>([
    ['stale-handle', 'its pipeline is destroyed', ({ rhi, main }) => rhi.destroy(main)],
    ['stale-handle', 'its bind group is destroyed', ({ rhi, group }) => rhi.destroy(group)],
    ['stale-handle', 'its vertex buffer is destroyed', ({ rhi, vertices }) => rhi.destroy(vertices)],
    [
      'bind-group-outlived',
      'what its bind group names is destroyed',
      ({ rhi, uniforms }) => rhi.destroy(uniforms),
    ],
    [
      'transition-missing',
      'what its bind group names is declared for something else',
      ({ rhi, uniforms }) => rhi.transition(uniforms, 0, copyTarget),
    ],
    [
      'transition-missing',
      'its vertex buffer is declared for something else',
      ({ rhi, vertices }) => rhi.transition(vertices, 0, indirect),
    ],
  ])('%s: looked at again when %s, with the same message as ever', (code, _, change) => {
    const scene = remembered();
    const { codes, isKnown } = scene.frame(() => change(scene));
    expect(new Set(codes)).toEqual(new Set([code]));
    expect(isKnown).toBe(false);
  });

  it('pipeline-color-formats: looked at again in a pass of other formats', () => {
    const { frame, other } = remembered();
    const { codes, isKnown } = frame(undefined, {}, other);
    expect(codes).toEqual(['pipeline-color-formats']);
    expect(isKnown).toBe(false);
  });

  it('usage-conflict: looked at again where it draws into what it samples', () => {
    const bench = remembering();
    const { rhi } = bench;
    const parts = bench.scene();
    const texture = bench.texture('sampled');
    const layout = rhi.createBindGroupLayout({
      label: 'textures',
      entries: [{ binding: 0, visibility: 2, texture: {} }],
    });
    const entries = [{ binding: 0, view: { texture } }];
    const textures = rhi.createBindGroup({ label: 'textures', layout, entries });
    const target = bench.texture('target');
    let number = 0;
    const frame = (view: TextureHandle) => {
      bench.frame(++number, () => {
        rhi.beginRenderPass(bench.pass(view));
        parts.set();
        rhi.setBindGroup(1, textures);
        rhi.draw(3);
        rhi.endRenderPass();
      });
      return bench.run().codes;
    };
    expect([frame(target), frame(target), frame(target)]).toEqual([[], [], []]);
    expect(hits(bench)).toBe(2);
    expect(frame(texture)).toEqual(['usage-conflict']);
    expect(hits(bench)).toBe(2);
  });

  it('dynamic-data-expired: a pass that reads data of one frame is looked at in each', () => {
    const bench = remembering();
    const { rhi } = bench;
    const parts = bench.scene();
    const target = bench.texture('target');
    const page = bench.buffer(`${DYNAMIC_PAGE_LABEL} 0`, vertex | copyTarget);
    const frame = (number: number, isWritten: boolean) => {
      bench.frame(number, () => {
        if (isWritten) rhi.writeBufferUnordered(page, 0, new Uint8Array(256));
        rhi.beginRenderPass(bench.pass(target));
        parts.set();
        rhi.setVertexBuffer(0, page, 0, 256);
        rhi.draw(3);
        rhi.endRenderPass();
      });
      return bench.run().codes;
    };
    expect([1, 2, 3, 4].map((number) => frame(number, number < 4))).toEqual([
      [],
      [],
      [],
      ['dynamic-data-expired'],
    ]);
    expect(hits(bench)).toBe(0);
  });

  it('scissor-rect: a pass with records whose verdict rests on more is looked at in each frame', () => {
    const bench = remembering();
    const { rhi } = bench;
    const { set } = bench.scene();
    const [large, small] = [bench.texture('large'), bench.texture('small', { width: 32, height: 32 })];
    let number = 0;
    const frame = (target: TextureHandle, body: () => void) => {
      bench.frame(++number, () => {
        rhi.beginRenderPass(bench.pass(target));
        set();
        body();
        rhi.draw(3);
        rhi.endRenderPass();
      });
      return bench.run().codes;
    };
    const scissor = () => rhi.setScissorRect(0, 0, 64, 64);
    expect([frame(large, scissor), frame(large, scissor)]).toEqual([[], []]);
    expect(frame(small, scissor)).toEqual(['scissor-rect']);
    const bundle = rhi.createDrawBundle({ label: 'bundle' }, (draws) => draws.insertDebugMarker('bundle'));
    const execution = () => {
      rhi.executeDrawBundle(bundle);
      set();
    };
    for (let i = 0; i < 70; i++) expect(frame(large, execution)).toEqual([]);
    expect(hits(bench)).toBe(0);
  });

  it('false-not-in-use: what a remembered pass names is in use', () => {
    // Of the lists 0, 1, 2 two have completed; the last one was not looked at.
    const { frame, rhi, bench, uniforms, group, vertices, main } = remembered({ completedLists: () => 2 });
    expect(frame()).toMatchObject({ codes: [], isKnown: true });
    const named = [uniforms, vertices, group, main] as unknown as BufferHandle[];
    for (const resource of named) assumeNotInUse(rhi, resource);
    expect(bench.run().codes).toEqual(Array(4).fill('false-not-in-use'));
  });

  it('is compared up to the record that differs; what is wrong behind it is said, what is set before it counts', () => {
    const { bench, rhi, target, set } = remembered();
    const draws = (number: number, counts: readonly number[]) => {
      bench.frame(number, () => {
        rhi.beginRenderPass(bench.pass(target));
        set();
        for (const count of counts) rhi.draw(count);
        rhi.endRenderPass();
      });
      return bench.run();
    };
    expect(draws(10, [3, 4, 5]).codes).toEqual([]);
    const known = hits(bench);
    expect(draws(11, [3, 4, 5]).codes).toEqual([]);
    expect(hits(bench)).toBeGreaterThanOrEqual(known);
    const { codes, passed } = draws(12, [3, 17, 5]);
    expect(codes).toEqual(['vertex-range']);
    expect(passed.filter((name) => name === 'draw')).toHaveLength(2);
    expect(bench.skipped).toBe(1);
  });

  it('is compared over pages, and waits for those that have not come', () => {
    const bench = remembering();
    const { rhi } = bench;
    const { set } = bench.scene();
    const target = bench.texture('target');
    const count = 20_000;
    for (let number = 1; number <= 3; number++) {
      rhi.beginFrame(number);
      rhi.beginRenderPass(bench.pass(target));
      set();
      let draws = 0;
      for (let i = 0; i < count; i++) {
        rhi.draw(3, 1, 0, i);
        if (i === 7 || i === 12_345) {
          draws += bench.run().passed.filter((name) => name === 'draw').length;
          expect(draws).toBe(i + 1);
        }
      }
      rhi.endRenderPass();
      rhi.endFrame();
      const { codes, passed } = bench.run();
      expect(codes).toEqual([]);
      expect(draws + passed.filter((name) => name === 'draw').length).toBe(count);
    }
    expect(hits(bench)).toBe(2);
  });

  it('that keeps changing is compared more and more seldom', () => {
    const bench = remembering();
    const { rhi } = bench;
    const { set } = bench.scene();
    const target = bench.texture('target');
    for (let number = 1; number <= 300; number++) {
      bench.frame(number, () => {
        rhi.beginRenderPass(bench.pass(target));
        set();
        rhi.draw(3, number);
        rhi.endRenderPass();
      });
      expect(bench.run().codes).toEqual([]);
    }
    expect(hits(bench)).toBe(0);
  });

  it('short passes are not remembered: looking at them costs no more', () => {
    const bench = new ValidationBench();
    const { rhi } = bench;
    const { set } = bench.scene();
    const target = bench.texture('target');
    for (let number = 1; number <= 4; number++) {
      bench.frame(number, () => {
        rhi.beginRenderPass(bench.pass(target));
        set();
        rhi.draw(3);
        rhi.endRenderPass();
      });
    }
    expect(bench.run().codes).toEqual([]);
    expect(hits(bench)).toBe(0);
  });
});
