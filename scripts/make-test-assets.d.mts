export function makeTestAssets(): Record<string, Uint8Array<ArrayBuffer>>;
export function writeTestAssets(folder: string): string[];
