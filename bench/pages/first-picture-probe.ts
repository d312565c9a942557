/**
 * Injected into FIRST_PICTURE's pages before their scripts: reports when the canvas first shows its final picture. The
 * time is in milliseconds since the navigation began. The page's own code is unchanged.
 *
 *   navigation ── scripts ── files ── incomplete pictures ── complete picture
 *   0                                                        completeMs
 *
 * The probe reads the canvas after each animation callback of the page, because a canvas that the page's thread draws
 * can be read only in the task that draws it. A loop of the probe also reads the canvas once per frame, for canvases
 * that a worker draws.
 */
declare global {
  interface Window {
    /**
     * Set before the navigation: bytes of the complete picture. Without them a canvas with more than one colour is
     * complete.
     */
    wantedPicture?: readonly number[];
    firstPicture: {
      readonly completeMs: Promise<number>;
      /** Resolves with the picture that has not changed for 30 reads of the canvas, after the page's mark `loaded`. */
      atRest(): Promise<number[]>;
    };
  }
}

/** Pixels of the compared picture, a scaled copy of the canvas. */
const WIDTH = 80;
const HEIGHT = 60;
/** Largest mean difference of the channels, 0 to 255, of pictures that count as equal. */
const TOLERANCE = 0.25;
/** Reads of the canvas in a row without a change. A frame of the page may have two reads. */
const READS_AT_REST = 30;

const look = new OffscreenCanvas(WIDTH, HEIGHT).getContext('2d', { willReadFrequently: true });
const { requestAnimationFrame: nextFrame } = window;
let resolveComplete: (milliseconds: number) => void;
let isComplete = false;
let picture: Uint8ClampedArray | null = null;
let readsUnchanged = 0;

window.firstPicture = {
  completeMs: new Promise((resolve) => {
    resolveComplete = resolve;
  }),
  atRest: () =>
    new Promise((resolve) => {
      const check = (): void => {
        const isLoaded = performance.getEntriesByName('loaded').length > 0;
        if (isLoaded && readsUnchanged >= READS_AT_REST) resolve([...(picture ?? [])]);
        else nextFrame(check);
      };
      readsUnchanged = 0;
      check();
    }),
};

function readCanvas(): void {
  const canvas = document.querySelector('canvas');
  if (!look || !canvas || canvas.width === 0 || canvas.height === 0) return;
  look.clearRect(0, 0, WIDTH, HEIGHT);
  look.drawImage(canvas, 0, 0, WIDTH, HEIGHT);
  const { data } = look.getImageData(0, 0, WIDTH, HEIGHT);
  // A canvas of the page's own thread is empty between two of its frames.
  if (data.every((value) => value === 0)) return;
  readsUnchanged = picture && meanDifference(picture, data) === 0 ? readsUnchanged + 1 : 0;
  picture = data;
  const { wantedPicture } = window;
  if (isComplete) return;
  isComplete = wantedPicture
    ? meanDifference(wantedPicture, data) <= TOLERANCE
    : data.some((value, index) => value !== data[index % 4]);
  if (isComplete) resolveComplete(performance.now());
}

function meanDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < b.length; i++) sum += Math.abs((a[i] ?? 0) - (b[i] ?? 0));
  return sum / b.length;
}

window.requestAnimationFrame = (callback) =>
  nextFrame((time) => {
    callback(time);
    readCanvas();
  });
nextFrame(function readEachFrame() {
  readCanvas();
  nextFrame(readEachFrame);
});

export {};
