/**
 * The page streams that `fencepost/rhi` exports: they check their arguments. The engine's own threads use the unchecked
 * functions of `core/streams/page-stream.ts`.
 */

import { anything, having } from '../../core/options/members.js';
import { isObject } from '../../core/options/shown-value.js';
import type { PortLike } from '../../core/streams/carrier.js';
import * as streams from '../../core/streams/page-stream.js';
import type { StreamReader, StreamWriter } from '../../core/streams/stream.js';
import { checkOptions, checkValue } from '../commands/class-arguments.js';

const messagePort = having('postMessage', 'a MessagePort');
const table = {
  accepts: (value: unknown): value is object => isObject(value) && Array.isArray(value.names),
  remedy: 'a table of records, such as rhiCommands',
};

/**
 * Creates both ends of a stream on one thread. Attachments are passed on without a transfer.
 * @throws OptionError `option-invalid`, `option-unknown`
 */
export function createLocalStream(options: Parameters<typeof streams.createLocalStream>[0]): {
  writer: StreamWriter;
  reader: StreamReader;
} {
  checkOptions('createLocalStream', options, { table, limits: anything(), schedule: anything() });
  return streams.createLocalStream(options);
}

/**
 * Creates the writing end of a stream whose reading end has the other port of the MessageChannel. It posts shared
 * memory at once. Firefox sometimes loses such memory between two workers; it is then posted again when this thread
 * returns to its event loop.
 * @throws OptionError `option-invalid`, `option-unknown`
 */
export function connectStreamWriter(port: PortLike, options: streams.PortStreamOptions): StreamWriter {
  checkValue('The port of connectStreamWriter', port, messagePort);
  checkOptions('connectStreamWriter', options, { table, limits: anything(), shared: anything() });
  return streams.connectStreamWriter(port, options);
}

/**
 * Creates the reading end of a stream. Either end may be created first, because messages wait in the port.
 * @throws OptionError `option-invalid`, `option-unknown`
 */
export function connectStreamReader(
  port: PortLike,
  options: Omit<streams.PortStreamOptions, 'limits'>,
): StreamReader {
  checkValue('The port of connectStreamReader', port, messagePort);
  checkOptions('connectStreamReader', options, { table, shared: anything() });
  return streams.connectStreamReader(port, options);
}
