/** The validating reader passes on valid records only, and offers them as pages (SYSTEMS H8). */
import { describe, expect, it } from 'vitest';
import { HEADER_LENGTH_SHIFT } from '../../core/records/record-table.js';
import { isPageCursor, type StreamReader } from '../../core/streams/stream.js';
import { endOfRecord } from '../../core/streams/stream-watchers.js';
import { rhiCommands } from '../commands/commands.js';
import { ImmediateContext } from '../record/immediate-context.js';
import { type Validator, validate } from './validate.js';
import { ValidationBench } from './validation.test-support.js';

const name = (opcode: number): string => rhiCommands.names[opcode]!;

/** Records two frames, each with a faulty draw, and with a pass and a debug group that are left open. */
function record(bench: ValidationBench): void {
  const rhi = new ImmediateContext(bench.writer, { maxFramesInFlight: 2 });
  const { set } = bench.scene();
  const target = bench.texture('target');
  for (let frame = 1; frame <= 2; frame++) {
    rhi.beginFrame(frame);
    rhi.beginRenderPass(bench.pass(target));
    set();
    rhi.draw(3);
    rhi.draw(-1);
    rhi.draw(4);
    rhi.pushDebugGroup('open');
    rhi.endFrame();
  }
  bench.rhi.publish();
}

const frameOf = [
  ...['beginFrame', 'beginRenderPass', 'setGraphicsPipeline', 'setBindGroup', 'setVertexBuffer'],
  ...['setIndexBuffer', 'draw', 'draw', 'pushDebugGroup', 'popDebugGroup', 'endRenderPass', 'endFrame'],
];

describe('H8 a validating reader with pages', () => {
  it('passes on valid records, and the ends that it inserts for open passes and debug groups, in stretches', () => {
    const bench = new ValidationBench();
    const reader = bench.reader as Validator;
    record(bench);
    const stretches: string[][] = [];
    while (reader.turnPage()) {
      const stretch: string[] = [];
      while (reader.cursor < reader.used) {
        const header = reader.words[reader.cursor]!;
        stretch.push(name(header & 0xff));
        reader.cursor += header >>> HEADER_LENGTH_SHIFT;
      }
      stretches.push(stretch);
    }
    const handedOn = stretches.flat();
    expect(handedOn.slice(handedOn.indexOf('beginFrame'))).toEqual([...frameOf, ...frameOf]);
    // The first stretch with more than one record stops before the faulty draw. The next one has the two records that
    // the reader inserted, which end the open debug group and the open pass.
    expect(stretches.filter(({ length }) => length > 1).slice(0, 2)).toEqual([
      ['setGraphicsPipeline', 'setBindGroup', 'setVertexBuffer', 'setIndexBuffer', 'draw'],
      ['popDebugGroup', 'endRenderPass'],
    ]);
    expect(bench.errors.map(({ code }) => code)).toEqual([
      'field-range',
      'pass-not-ended',
      'debug-group-not-ended',
    ]);
  });

  it('can move back to an earlier record of the stretch', () => {
    const bench = new ValidationBench();
    const reader = bench.reader as Validator;
    record(bench);
    let draws = 0;
    while (reader.next()) {
      if (name(reader.opcode) !== 'draw') continue;
      // Each draw is read twice.
      if (draws++ % 2 === 0) reader.cursor = reader.fields - 1;
    }
    expect(draws).toBe(8);
  });

  it.each(['by record', 'by stretch'])(
    'shows watchers each record once, if the records are read %s',
    (how) => {
      const bench = new ValidationBench();
      const reader = bench.reader as Validator;
      const heard: string[] = [];
      const unwatch = reader.watch({
        onRecords: (words, at, used) => {
          heard.push(name(words[at]! & 0xff));
          return endOfRecord(words, at, used);
        },
      });
      record(bench);
      while (reader.next()) if (how === 'by stretch') reader.cursor = reader.used;
      unwatch();
      expect(heard.slice(heard.indexOf('beginFrame'))).toEqual([...frameOf, ...frameOf]);
    },
  );

  it('passes on the same records if its source has no pages', () => {
    const paged = new ValidationBench();
    const wrapped = new ValidationBench({}, (reader, options) => {
      const plain: StreamReader = {
        ...{ words: reader.words, ints: reader.ints, floats: reader.floats },
        ...{ opcode: 0, fields: 0, fieldWords: 0, onAvailable: null },
        next() {
          const hasNext = reader.next();
          const { words, ints, floats, opcode, fields, fieldWords } = reader;
          Object.assign(plain, { words, ints, floats, opcode, fields, fieldWords });
          return hasNext;
        },
        attachment: (number) => reader.attachment(number),
        close: () => reader.close(),
      };
      return validate(plain, options);
    });
    expect([paged, wrapped].map(({ reader }) => isPageCursor(reader))).toEqual([true, true]);
    for (const bench of [paged, wrapped]) record(bench);
    expect(wrapped.run()).toEqual(paged.run());
  });
});
