import { anything } from '../../core/options/members.js';
import { isObject } from '../../core/options/shown-value.js';
import * as streams from '../../core/streams/page-stream.js';
import type { StreamReader, StreamWriter } from '../../core/streams/stream.js';
import { checkOptions } from '../commands/class-arguments.js';

const table = {
  accepts: (value: unknown): value is object => isObject(value) && Array.isArray(value.names),
  remedy: 'a table of records, such as rhiCommands',
};

/**
 * Creates both ends of a stream on one thread, for a context without an executor. Attachments are passed on without a
 * transfer.
 * @throws OptionError `option-invalid`, `option-unknown`
 */
export function createLocalStream(options: Parameters<typeof streams.createLocalStream>[0]): {
  writer: StreamWriter;
  reader: StreamReader;
} {
  checkOptions('createLocalStream', options, { table, limits: anything(), schedule: anything() });
  return streams.createLocalStream(options);
}
