import type { EventRing } from '../../core/events/event-ring.js';
import type { LoadProgress } from '../../proxy/scene-description.js';
import type { LoadDecoder } from '../decoders/decoders.js';
import type { ImageDecoder } from './image-decoder.js';

export interface AssetLoadOptions {
  readonly onProgress?: (progress: LoadProgress) => void;
  /** Aborting rejects with the signal's reason (an AbortError) and stops all transfers. */
  readonly signal?: AbortSignal | undefined;
  readonly fetch?: typeof fetch;
  readonly decodeImage?: ImageDecoder;
  /** Without it, files with compressed parts are refused. */
  readonly loadDecoder?: LoadDecoder | undefined;
  /** Features of the device that will show the file, by WebGPU's names: textures come in formats that it reads. Default: none. */
  readonly deviceFeatures?: readonly string[];
  /** Where what it does is noted, as the load of this number. */
  readonly events?: EventRing;
  readonly number?: number;
  /** Called between pieces of long work: whoever waits hears that it goes on. */
  readonly onWork?: (() => void) | undefined;
}
