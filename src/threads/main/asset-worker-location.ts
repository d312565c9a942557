// Where the asset worker and its decoders are. Apart from the other workers' places (`worker-location.ts`): pages that load no
// file know nothing of them. The `new URL('…', import.meta.url)` expressions are literal, as bundlers want them.
import type { AssetPartName, Locate } from './worker-location.js';

/** @param locate where the page has put it @throws where an override gives no place beside which it could be */
export function findAssetFile(kind: AssetPartName | 'assets', locate?: Locate): URL {
  // Next.js has an address without an origin take the literal's place.
  return locate?.(kind) ?? new URL(String(LOCATIONS[kind]()), document.baseURI);
}

/** Empty where an override gives no place beside which they could be. */
export function findDecoders(locate?: Locate): Record<AssetPartName, string> {
  const find = (name: AssetPartName): string => {
    try {
      return findAssetFile(name, locate).href;
    } catch {
      return '';
    }
  };
  return {
    basis: find('basis'),
    decoding: find('decoding'),
    draco: find('draco'),
    faces: find('faces'),
    ktx2: find('ktx2'),
    meshopt: find('meshopt'),
  };
}

const LOCATIONS: Readonly<Record<AssetPartName | 'assets', () => URL>> = {
  assets: () => new URL('../asset-worker.ts', import.meta.url),
  basis: () => new URL('../worker-basis.ts', import.meta.url),
  decoding: () => new URL('../worker-decoding.ts', import.meta.url),
  draco: () => new URL('../worker-draco.ts', import.meta.url),
  faces: () => new URL('../worker-faces.ts', import.meta.url),
  ktx2: () => new URL('../worker-ktx2.ts', import.meta.url),
  meshopt: () => new URL('../worker-meshopt.ts', import.meta.url),
};
