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
  /** Loads decoders. Without it, files with compressed parts are rejected. */
  readonly loadDecoder?: LoadDecoder | undefined;
  /** WebGPU names of the device's features. Textures are decoded to formats that the device reads. Default: none. */
  readonly deviceFeatures?: readonly string[];
  /** Ring that receives the events of the load. */
  readonly events?: EventRing;
  /** Number of the load in its events. */
  readonly number?: number;
  /** Called between pieces of long work, to send signs of life. */
  readonly onWork?: (() => void) | undefined;
}
