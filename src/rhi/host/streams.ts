/**
 * Page streams as `fencepost/rhi` exports them, with checks of their arguments. The engine's own threads leave the
 * checks out.
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
 * Creates both ends of a stream on one thread. Attachments are passed on as they are, not transferred.
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
 * Creates the writing end of a stream whose reading end has the other port of the MessageChannel. It posts memory at once. A
 * reader that can't read it, as between two workers in Firefox, gets it again when this thread returns to its event loop.
 * @throws OptionError `option-invalid`, `option-unknown`
 */
export function connectStreamWriter(port: PortLike, options: streams.PortStreamOptions): StreamWriter {
  checkValue('The port of connectStreamWriter', port, messagePort);
  checkOptions('connectStreamWriter', options, { table, limits: anything(), shared: anything() });
  return streams.connectStreamWriter(port, options);
}

/**
 * Creates the reading end. The ends may be created in any order: messages wait in the port.
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
