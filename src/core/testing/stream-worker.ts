import { parentPort, workerData } from 'node:worker_threads';
import { errorToData } from '../errors.js';
import { connectStreamReader } from '../streams/page-stream.js';
import { testTable } from './stream-harness.js';

/**
 * Reading end of a stream, on a thread of its own. It checks that record `i` holds only the value `i`. It reports the
 * counts of records and attachments, or the error.
 */
const { port, shared, records } = workerData;
const reader = connectStreamReader(port, { table: testTable, shared });
let next = 0;
let attachments = 0;

reader.onAvailable = () => {
  try {
    while (reader.next()) {
      const { words, fields, fieldWords } = reader;
      if (reader.opcode === testTable.opcodes.attached) {
        const data = reader.attachment(words[fields]) as ArrayBuffer;
        if (data.byteLength !== 16 || words[fields + 1] !== next) throw new Error(`attachment of ${next}`);
        attachments++;
      } else {
        for (let index = 1; index < fieldWords; index++) {
          if (words[fields + index] !== next)
            throw new Error(`record ${next} holds ${words[fields + index]}`);
        }
      }
      next++;
    }
    if (next === records) parentPort?.postMessage({ next, attachments });
  } catch (error) {
    parentPort?.postMessage(errorToData(error));
  }
};
