import { describe, expect, it } from 'vitest';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { RhiOpcode, rhiCommands } from '../commands/commands.js';
import type { ShaderModuleHandle } from '../commands/descriptors.js';
import { RecordSequence } from '../commands/record-sequence.js';
import { ImmediateContext } from '../record/immediate-context.js';
import { traceList } from '../record/trace.js';
import { CreationHistory } from './creation-history.js';
import { RecordReader } from './replay-run.js';

function setUp() {
  const { writer, reader } = createLocalStream({ table: rhiCommands });
  const rhi = new ImmediateContext(writer, { maxFramesInFlight: 1 });
  const history = new CreationHistory();
  /** Adds the recorded creates and destroys to the history. */
  const take = () => {
    rhi.publish();
    while (reader.next()) {
      const { words, opcode, fields, fieldWords } = reader;
      const name = rhiCommands.names[opcode]!;
      if (name === 'destroyResource') history.destroy(words[fields]!);
      else if (name.startsWith('create')) history.add(words.slice(fields - 1, fields + fieldWords));
    }
  };
  const prologue = (): string[] => {
    const words = new RecordReader();
    void words.feed(history.prologue());
    return traceList(words, { maximumFieldLength: 1000 })
      .split('\n')
      .map((line) => line.replace(/ descriptor.*| label.*/, ''));
  };
  const pipeline = (label: string, module: ShaderModuleHandle) =>
    rhi.createGraphicsPipeline({ label, bindGroupLayouts: [], vertex: { module, entryPoint: 'main' } });
  return { rhi, history, take, prologue, pipeline };
}

describe('the history of live resources', () => {
  it('leaves out destroyed resources to which no live resource refers', () => {
    const { rhi, take, prologue } = setUp();
    rhi.createBuffer({ label: 'a', byteLength: 4, usage: 8 });
    rhi.destroy(rhi.createBuffer({ label: 'b', byteLength: 4, usage: 8 }));
    rhi.createSampler({ label: 'c' });
    take();
    expect(prologue()).toEqual([
      'createBuffer handle=<buffer 0.0 "a">',
      'createSampler handle=<sampler 0.0 "c">',
    ]);
  });

  it('keeps the parts of a live pipeline or bind group, and the order of creates and destroys', () => {
    const { rhi, take, prologue, pipeline } = setUp();
    const first = rhi.createShaderModule({ label: 'first', code: '' });
    pipeline('A', first);
    rhi.destroy(first);
    // After these frames, the slot can be reused: the next module has the same index.
    for (const frame of [0, 1, 2, 3]) {
      rhi.beginFrame(frame);
      rhi.endFrame();
    }
    const second = rhi.createShaderModule({ label: 'second', code: '' });
    pipeline('B', second);
    rhi.destroy(pipeline('C', second));
    const buffer = rhi.createBuffer({ label: 'uniforms', byteLength: 4, usage: 8 });
    const layout = rhi.createBindGroupLayout({ label: 'layout', entries: [] });
    rhi.createBindGroup({ label: 'group', layout, entries: [{ binding: 0, buffer }] });
    for (const handle of [buffer, layout]) rhi.destroy(handle);
    take();
    expect(prologue()).toEqual([
      'createShaderModule handle=<shader module 0.0 "first">',
      'createGraphicsPipeline handle=<graphics pipeline 0.0 "A">',
      'destroyResource handle=<shader module 0.0 "first">',
      'createShaderModule handle=<shader module 0.1 "second">',
      'createGraphicsPipeline handle=<graphics pipeline 1.0 "B">',
      'createBuffer handle=<buffer 0.0 "uniforms">',
      'createBindGroupLayout handle=<bind group layout 0.0 "layout">',
      'createBindGroup handle=<bind group 0.0 "group">',
      'destroyResource handle=<buffer 0.0 "uniforms">',
      'destroyResource handle=<bind group layout 0.0 "layout">',
    ]);
  });

  it('removes destroyed resources once there are more than 1,024, except resources to which live resources refer', () => {
    const { rhi, history, take, prologue, pipeline } = setUp();
    const module = rhi.createShaderModule({ label: 'module', code: '' });
    pipeline('A', module);
    rhi.destroy(module);
    for (let i = 0; i < 3000; i++) rhi.destroy(rhi.createSampler({ label: 'gone' }));
    take();
    expect(history.length).toBeLessThan(1030);
    expect(prologue()).toHaveLength(3);
  });

  it('reports resources that are incomplete because the history began too late', () => {
    const { rhi, history, take, pipeline } = setUp();
    const module = rhi.createShaderModule({ label: 'module', code: '' });
    take();
    const late = new CreationHistory();
    pipeline('A', module);
    rhi.publish();
    take();
    const records = new RecordSequence(history.prologue());
    for (const { words, opcode, fields, fieldWords } of records)
      if (opcode === RhiOpcode.createGraphicsPipeline) late.add(words.slice(fields - 1, fields + fieldWords));
    expect(history.incomplete()).toEqual([]);
    expect(late.incomplete()).toEqual([expect.stringMatching(/^The graphics pipeline "A" .* is incomplete/)]);
  });
});
