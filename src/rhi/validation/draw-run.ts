/**
 * The loop over what a pass has most of: records of six kinds that lie one after the other, looked at without a reader
 * between them. Per draw; allocates nothing.
 *
 *   words   | setBindGroup | setVertexBuffer | drawIndexed | … | setScissorRect |
 *           at ─────────────────────────────────────────────►  of another kind: the readers' own way
 */
import { HEADER_ATTACHMENT_BIT, HEADER_LENGTH_SHIFT } from '../../core/record-table.js';
import { leastFieldWords } from '../commands/command-facts.js';
import { RhiOpcode } from '../commands/commands.js';
import type { DrawState } from './draws.js';
import type { ValidationState } from './state.js';

// Constants of the module, because they are compared with for every record.
const SET_GRAPHICS_PIPELINE = RhiOpcode.setGraphicsPipeline;
const SET_BIND_GROUP = RhiOpcode.setBindGroup;
const SET_VERTEX_BUFFER = RhiOpcode.setVertexBuffer;
const SET_INDEX_BUFFER = RhiOpcode.setIndexBuffer;
const DRAW = RhiOpcode.draw;
const DRAW_INDEXED = RhiOpcode.drawIndexed;
/** Opcode, and whether it names an attachment, which none of these does. */
const KIND_MASK = HEADER_ATTACHMENT_BIT | 0xff;

/**
 * Looks at the records from `at` to `used`, up to one that is wrong, which is reported, or of another kind, or that no
 * writer produces.
 * @returns where the last of them ends; its complement (`~`) when the record there is wrong
 */
export function checkRun(
  state: ValidationState,
  draws: DrawState,
  words: Uint32Array,
  at: number,
  used: number,
): number {
  while (at < used) {
    const header = words[at];
    const end = at + (header >>> HEADER_LENGTH_SHIFT);
    const kind = header & KIND_MASK;
    if (end > used || end - at - 1 < leastFieldWords[kind & 0xff]) return at;
    state.opcode = kind;
    let isFine: boolean;
    if (kind === SET_BIND_GROUP) isFine = draws.setBindGroup(words, at + 1, end - at - 1);
    else if (kind === DRAW_INDEXED) isFine = draws.drawIndexed(words, at + 1);
    else if (kind === SET_VERTEX_BUFFER) isFine = draws.setVertexBuffer(words, at + 1);
    else if (kind === SET_INDEX_BUFFER) isFine = draws.setIndexBuffer(words, at + 1);
    else if (kind === DRAW) isFine = draws.draw(words, at + 1);
    else if (kind === SET_GRAPHICS_PIPELINE) isFine = draws.setGraphicsPipeline(words[at + 1]);
    else return at;
    if (!isFine) return ~at;
    at = end;
  }
  return at;
}

/** Draws of a run count one by one when they are left out. */
export const isRunDraw = (opcode: number): boolean => opcode === DRAW || opcode === DRAW_INDEXED;
