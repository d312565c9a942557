/**
 * Stands in for the browser's images: one remembers what it shows and whether it was closed, and each is accounted
 * for: closed once, or handed over to a stream, or kept to make others of. For tests only.
 */
import { vi } from 'vitest';

export interface FakeImage {
  readonly width: number;
  readonly height: number;
  readonly pixels: string;
  isClosed: boolean;
  close(): void;
}

/** All images since `stubImages`. */
export const images = {
  made: [] as FakeImage[],
  /** What went into a stream, and belongs to the other side. */
  sent: new Set<unknown>(),
  /** Copies that textures keep to make others of. */
  kept: new Set<unknown>(),

  /** Those that are lost, or used after they were given away. */
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

/** Replaces the decoder: the text of a file is what its image shows; "broken" can't be decoded. */
export function stubImages(): void {
  images.made = [];
  images.sent.clear();
  images.kept.clear();
  vi.stubGlobal('createImageBitmap', async (source: Blob | FakeImage) => {
    const pixels = source instanceof Blob ? await source.text() : source.pixels;
    if (pixels === 'broken') throw new Error('it is no image');
    if (!(source instanceof Blob)) {
      if (source.isClosed) throw new Error('it is closed');
      images.kept.add(source);
    }
    const image = fakeImage(pixels);
    images.made.push(image);
    return image;
  });
}
