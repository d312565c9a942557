/**
 * Replaces the browser's images in tests. An image records its pixels and whether it was closed. Each image has to be
 * closed once, transferred to a stream, or kept as the source of other images. For tests only.
 */
import { vi } from 'vitest';

export interface FakeImage {
  readonly width: number;
  readonly height: number;
  readonly pixels: string;
  isClosed: boolean;
  close(): void;
}

/** Images since the last call of `stubImages`. */
export const images = {
  /** Images that the stubbed decoder has created or that a test has added. */
  made: [] as FakeImage[],
  /** Images that were transferred to a stream and belong to the other side. */
  sent: new Set<unknown>(),
  /** Images from which other images were created. */
  kept: new Set<unknown>(),

  /** Images that were neither closed nor transferred, or both closed and transferred; without those in `kept`. */
  get unaccounted(): FakeImage[] {
    const owned = images.made.filter((image) => !images.kept.has(image));
    return owned.filter((image) => image.isClosed === images.sent.has(image));
  },
};

export function fakeImage(pixels: string): FakeImage {
  return {
    width: 1,
    height: 1,
    pixels,
    isClosed: false,
    close() {
      if (this.isClosed) throw new Error(`"${pixels}" is closed twice`);
      this.isClosed = true;
    },
  };
}

/**
 * Clears `images` and replaces the decoder. The text of a file becomes the pixels of its image. A file with the text
 * "broken" can't be decoded.
 */
export function stubImages(): void {
  images.made = [];
  images.sent.clear();
  images.kept.clear();
  vi.stubGlobal('createImageBitmap', async (source: Blob | FakeImage) => {
    const pixels = source instanceof Blob ? await source.text() : source.pixels;
    if (pixels === 'broken') throw new Error('it is not an image');
    if (!(source instanceof Blob)) {
      if (source.isClosed) throw new Error('it is closed');
      images.kept.add(source);
    }
    const image = fakeImage(pixels);
    images.made.push(image);
    return image;
  });
}
