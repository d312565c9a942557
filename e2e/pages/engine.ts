/**
 * The page that most end-to-end tests use: it puts the public API on `window.fencepost` and a few helpers on
 * `window.kit`, so that a test can write its scene in `page.evaluate`.
 */
import * as fencepost from '../../src/index.js';

declare global {
  interface Window {
    fencepost: typeof fencepost;
    kit: typeof kit;
  }
}

/** FNV-1a over bytes, as 8 hexadecimal digits: equal pictures have equal hashes. */
function hash(bytes: Uint8ClampedArray | Uint8Array): string {
  let value = 0x811c9dc5;
  for (const byte of bytes) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value.toString(16).padStart(8, '0');
}

const kit = {
  hash,
  /** Bytes handed over by a test. */
  bytes: (base64: string): ArrayBuffer =>
    Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)).buffer,
  /** The element engines are created in: 128 × 128 CSS pixels. */
  get view(): HTMLElement {
    return document.querySelector<HTMLElement>('#view')!;
  },
  /** RGBA of a pixel, row 0 at the top. */
  pixel(frame: { width: number; data: Uint8ClampedArray }, x: number, y: number): number[] {
    return [...frame.data.slice((y * frame.width + x) * 4, (y * frame.width + x) * 4 + 4)];
  },
  /** Runs `action` and returns what it threw, as plain data; fails when it did not throw. */
  async refusal(action: () => unknown): Promise<{ name: string; code: string; message: string }> {
    try {
      await action();
    } catch (error) {
      const { name, code, message } = error as { name: string; code: string; message: string };
      return { name, code, message };
    }
    throw new Error('The action was expected to fail, and did not.');
  },
};

window.fencepost = fencepost;
window.kit = kit;
document.documentElement.dataset.loaded = 'true';
