/**
 * Page streams as `fencepost/rhi` gives them out: what they are made with is looked at first. The engine's own threads
 * need none of this.
 */
import type { PortLike } from '../../core/carrier.js';
import { checkOption, checkOptionNames, isObject } from '../../core/option-names.js';
import * as streams from '../../core/page-stream.js';
import type { StreamReader, StreamWriter } from '../../core/stream.js';

/**
 * Both ends on one thread. Attachments are handed over as they are, not transferred.
 * @throws OptionError `option-invalid`, `option-unknown`
 */
export function createLocalStream(options: Parameters<typeof streams.createLocalStream>[0]): {
  writer: StreamWriter;
  reader: StreamReader;
} {
  checkTable('createLocalStream', options, 'table, limits, schedule');
  return streams.createLocalStream(options);
}

/**
 * The writing end of a stream whose reading end has the other port of the MessageChannel.
 * @throws OptionError `option-invalid`, `option-unknown`
 */
export function connectStreamWriter(port: PortLike, options: streams.PortStreamOptions): StreamWriter {
  checkPort('connectStreamWriter', port);
  checkTable('connectStreamWriter', options, 'table, limits, shared');
  return streams.connectStreamWriter(port, options);
}

/**
 * The reading end. Create it in any order; what the writer sends meanwhile waits in the port.
 * @throws OptionError `option-invalid`, `option-unknown`
 */
export function connectStreamReader(
  port: PortLike,
  options: Omit<streams.PortStreamOptions, 'limits'>,
): StreamReader {
  checkPort('connectStreamReader', port);
  checkTable('connectStreamReader', options, 'table, shared');
  return streams.connectStreamReader(port, options);
}

function checkTable(call: string, options: streams.StreamOptions, names: string): void {
  checkOptionNames(call, options, names);
  const { table } = options;
  const isTable = isObject(table) && Array.isArray(table.names);
  checkOption(`The option "table" of ${call}`, table, isTable, 'a table of records, such as rhiCommands');
}

function checkPort(call: string, port: PortLike): void {
  const isPort = isObject(port) && typeof port.postMessage === 'function';
  checkOption(`The port of ${call}`, port, isPort, 'a MessagePort');
}
