/**
 * Entry point of the file that the asset worker loads to share its decoding, and of the helpers that share it: those are told to
 * begin, with a message that nobody else gets. One file without imports, as `worker.ts` is.
 */
import type { DecodingRequest } from '../assets/decoding/decoding-messages.js';
import { type DecodingPort, serveDecoding } from '../assets/decoding/serve-decoding.js';
import { offerPart, partLoader } from './control/load-part.js';
import * as part from './parts/decoding.js';

offerPart('decoding', part);

const begin = ({ data }: MessageEvent<DecodingRequest>): void => {
  if (data.kind !== 'begin') return;
  removeEventListener('message', begin);
  // The DOM types give a worker's global scope the type of a window.
  serveDecoding(self as unknown as DecodingPort, partLoader(data.urls));
};
addEventListener('message', begin);
