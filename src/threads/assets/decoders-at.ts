import type { Decoders, LoadDecoder } from '../../assets/decoders/decoders.js';
import type { DecoderUrls } from '../../assets/loading/asset-protocol.js';
import { loadFile } from '../library-files/load-file.js';

/** Returns a function that loads decoders from their files, once per thread. */
export function decodersAt(urls: DecoderUrls): LoadDecoder {
  const load = async (name: keyof Decoders): Promise<unknown> => {
    if (name === 'basis' || name === 'draco') return loadFile(name, urls[name]);
    return (await loadFile('decoders', urls.decoders))[name];
  };
  return load as LoadDecoder;
}
