/**
 * H8: remembered passes change no verdict. Random lists are read by two: one that looks at every record
 * (`RecordValidator`), and one that remembers passes of any length. The same is reported, handed on and left out.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RhiOpcode } from '../commands/commands.js';
import {
  type BindGroupHandle,
  type BufferHandle,
  BufferUsage,
  type GraphicsPipelineHandle,
  type TextureHandle,
  TextureUsage,
} from '../commands/descriptors.js';
import { encodeJson, writeRecord } from '../commands/record-fields.js';
import { assumeNotInUse } from '../mapping/assume-not-in-use.js';
import { DYNAMIC_PAGE_LABEL } from '../memory/dynamic-buffers.js';
import { PageValidator } from './page-validator.js';
import { RecordValidator } from './record-validator.js';
import { ValidationBench } from './validation.test-support.js';

const { vertex, index, indirect, uniform, copyTarget } = BufferUsage;
const { renderAttachment, textureBinding } = TextureUsage;

// Few resources, so that the same ones are named, destroyed and declared again and again.

const slot = fc.nat(3);
/** Mostly what is right, so that many passes are sound. */
const good = fc.constantFrom(0, 0, 1, 1, 1, 2, 2, 2, 2, 3);
const passRecord = fc.oneof(
  { weight: 60, arbitrary: fc.record({ kind: fc.constantFrom('draw', 'drawIndexed'), n: fc.nat(16) }) },
  { weight: 40, arbitrary: fc.record({ kind: fc.constantFrom('group', 'vertices', 'indices'), n: good }) },
  { weight: 20, arbitrary: fc.record({ kind: fc.constantFrom('pipeline', 'textures'), n: good }) },
  { weight: 10, arbitrary: fc.record({ kind: fc.constantFrom('indirect', 'marker', 'push'), n: good }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('draw'), n: fc.nat(20) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('open', 'pop', 'scissor', 'rename', 'query', 'bad', 'promise'),
      n: slot,
    }),
  },
);
const pass = fc.record({
  target: fc.constantFrom(0, 0, 0, 1, 2),
  records: fc.array(passRecord, { minLength: 2, maxLength: 14 }),
  isEnded: fc.constantFrom<boolean[]>(...Array(40).fill(true), false),
});
const change = fc.oneof(
  { weight: 30, arbitrary: fc.constant({ kind: 'none', n: 0 }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('destroy buffer', 'destroy group', 'destroy pipeline', 'destroy texture'),
      n: slot,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('create all', 'same handle'), n: slot }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('declare', 'declare vertex', 'declare texture', 'promise', 'write'),
      n: slot,
    }),
  },
);
const frameScript = fc.record({
  changes: fc.array(change, { maxLength: 2 }),
  /** One record of one pass becomes another. */
  edit: fc.oneof(
    { weight: 5, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.record({ pass: fc.nat(2), at: fc.nat(13), record: passRecord }) },
  ),
  /** Which of the passes are recorded. */
  recorded: fc.constantFrom<number[]>([0, 1], [0, 1], [0, 1], [0], [1, 0], [0, 0, 1]),
  /** After how many records what is written is read. */
  cut: fc.nat(30),
});
type FrameScript = typeof frameScript extends fc.Arbitrary<infer T> ? T : never;
type PassScript = typeof pass extends fc.Arbitrary<infer T> ? T : never;

/** With these a draw is sound. */
const first = ['pipeline', 'group', 'vertices', 'indices'].map((kind) => ({ kind, n: 0 }));

/** Runs a script; what was reported, handed on, skipped. */
function runScript(bench: ValidationBench, initial: readonly PassScript[], frames: readonly FrameScript[]) {
  const { rhi, reader, writer } = bench;
  const passes = initial.map((script) => ({ ...script, records: [...script.records] }));
  const { layout, pipeline } = bench.scene();
  const textureLayout = rhi.createBindGroupLayout({
    label: 'textures',
    entries: [{ binding: 0, visibility: 2, texture: { sampleType: 'unfilterable-float' } }],
  });
  const usage = vertex | index | indirect | uniform | copyTarget;
  const buffers: BufferHandle[] = [];
  const textures: TextureHandle[] = [];
  const groups: BindGroupHandle[] = [];
  const textureGroups: BindGroupHandle[] = [];
  const pipelines: GraphicsPipelineHandle[] = [];
  const create = (n: number): void => {
    // One of four is a dynamic page.
    const label = n === 3 ? `${DYNAMIC_PAGE_LABEL} ${n}` : `buffer ${n}`;
    const format = n === 2 ? 'rgba16float' : 'rgba8unorm';
    buffers[n] = bench.buffer(label, usage, 1024 - 256 * (n % 2));
    textures[n] = bench.texture(`texture ${n}`, { format, usage: renderAttachment | textureBinding });
    groups[n] = rhi.createBindGroup({
      label: `group ${n}`,
      layout,
      entries: [{ binding: 0, buffer: buffers[n]!, byteLength: 256 }],
    });
    textureGroups[n] = rhi.createBindGroup({
      label: `textures ${n}`,
      layout: textureLayout,
      entries: [{ binding: 0, view: { texture: textures[n]! } }],
    });
    pipelines[n] = pipeline(`pipeline ${n}`, n === 3 ? { bindGroupLayouts: [] } : {});
  };
  for (let n = 0; n < 4; n++) create(n);
  const log: string[] = [];
  const read = (): void => {
    rhi.publish();
    while (reader.next()) {
      const { words, fields, fieldWords, opcode } = reader;
      log.push(`${opcode} ${fieldWords === 0 ? '' : words.slice(fields, fields + fieldWords)}`);
      if (opcode === RhiOpcode.endFrame) log.push(`skipped ${reader.skippedDraws}`);
    }
    log.push(...bench.errors.splice(0).map(({ code, message }) => `${code} ${message}`));
  };
  /** As a recorder that trusts itself: handles may be stale. */
  const destroy = (handle: number): void => {
    const at = writer.reserve(RhiOpcode.destroyResource, 1);
    writer.words[at] = handle;
  };
  const record: Readonly<Record<string, (n: number) => void>> = {
    draw: (n) => rhi.draw(n),
    drawIndexed: (n) => rhi.drawIndexed(n * 4),
    group: (n) => rhi.setBindGroup(0, groups[n]!, [n === 2 ? 256 : 0]),
    textures: (n) => rhi.setBindGroup(1, textureGroups[n]!),
    vertices: (n) => rhi.setVertexBuffer(0, buffers[n]!, 0, 256),
    indices: (n) => rhi.setIndexBuffer(buffers[n]!, 'uint16', 256, 128),
    pipeline: (n) => rhi.setGraphicsPipeline(pipelines[n]!),
    indirect: (n) => rhi.drawIndirect(buffers[n]!, 64),
    marker: (n) => rhi.insertDebugMarker(`marker ${n}`),
    push: (n) => {
      rhi.pushDebugGroup(`debug group ${n}`);
      rhi.popDebugGroup();
    },
    open: (n) => rhi.pushDebugGroup(`open ${n}`),
    pop: () => rhi.popDebugGroup(),
    scissor: (n) => rhi.setScissorRect(0, 0, 16, 64 + n),
    rename: (n) => rhi.renameBuffer(buffers[n]!),
    query: (n) => rhi.beginOcclusionQuery(n),
    promise: (n) => assumeNotInUse(rhi, buffers[n]!),
    bad: (n) => {
      const at = writer.reserve(RhiOpcode.setVertexBuffer, n);
      writer.words.fill(0, at, at + n);
    },
  };
  const apply: Readonly<Record<string, (n: number) => void>> = {
    none: () => {},
    'destroy buffer': (n) => destroy(buffers[n]!),
    'destroy group': (n) => destroy(groups[n]!),
    'destroy pipeline': (n) => destroy(pipelines[n]!),
    'destroy texture': (n) => destroy(textures[n]!),
    'create all': create,
    'same handle': (n) => {
      // What no recorder does: another buffer under the handle that a destroyed one had.
      destroy(buffers[n]!);
      const descriptor = { label: 'again', byteLength: 128, usage: vertex };
      writeRecord(writer, RhiOpcode.createBuffer, [buffers[n]!], [encodeJson(descriptor)]);
    },
    declare: (n) => rhi.transition(buffers[n]!, 0, copyTarget),
    'declare vertex': (n) => rhi.transition(buffers[n]!, copyTarget, vertex | index | uniform | indirect),
    'declare texture': (n) => rhi.transition(textures[n]!, 0, n === 1 ? textureBinding : renderAttachment),
    promise: (n) => assumeNotInUse(rhi, groups[n] as unknown as BufferHandle),
    write: () => rhi.writeBufferUnordered(buffers[3]!, 0, new Uint8Array(512)),
  };
  let number = 0;
  for (const { changes, edit, recorded, cut } of frames) {
    number++;
    if (edit) {
      const { records } = passes[edit.pass % passes.length]!;
      records[edit.at % records.length] = edit.record;
    }
    rhi.beginFrame(number);
    for (const { kind, n } of changes) apply[kind]?.(n);
    let count = 0;
    for (const which of recorded) {
      const { target, records, isEnded } = passes[which % passes.length]!;
      const label = `pass ${which}`;
      rhi.beginRenderPass({ ...bench.pass(textures[target]!), label });
      rhi.setStencilRef(number);
      for (const { kind, n } of [...first, ...records]) {
        record[kind]?.(n);
        if (++count === cut) read();
      }
      if (isEnded) rhi.endRenderPass();
    }
    rhi.endFrame();
    read();
  }
  log.push(`${bench.skipped} left out`);
  return log;
}

describe('H8 property: the same verdicts as without a memory, for random lists that repeat', () => {
  it('and something is spared', () => {
    let spared = 0;
    fc.assert(
      fc.property(
        fc.array(pass, { minLength: 1, maxLength: 2 }),
        fc.array(frameScript, { minLength: 3, maxLength: 16 }),
        (passes, frames) => {
          const completedLists = (): number => 3;
          const plain = new ValidationBench(
            { completedLists },
            (reader, options) => new RecordValidator(reader, options),
          );
          const bench = new ValidationBench(
            { completedLists },
            (reader, options) => new PageValidator(reader, options, 0),
          );
          const expected = runScript(plain, passes, frames);
          expect(runScript(bench, passes, frames)).toEqual(expected);
          spared += (bench.reader as PageValidator).memo?.hits ?? 0;
        },
      ),
      { numRuns: 150 },
    );
    // Else it would prove nothing.
    expect(spared).toBeGreaterThan(100);
  });
});
