/**
 * A strip chart of a rate over the last six seconds. It receives a running total at irregular times, and spreads each
 * increase evenly over the time since the previous total. If the page was blocked, the columns of that time are filled
 * in afterwards. Their height is a mean, because the rate during that time is unknown.
 *
 *   total   120      126      132                      133     (running total, at irregular times)
 *   column  ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁   one column per 0.1 s
 */
const COLUMN_SECONDS = 0.1;
const COLUMN_COUNT = 60;

export class StripChart {
  /** Rate per second, averaged over the last second. */
  rate = 0;
  readonly #context: CanvasRenderingContext2D | null;
  /** Counts by column. `#column` is the absolute number of the newest column. */
  readonly #counts = new Float64Array(COLUMN_COUNT);
  #column = -1;
  #firstColumn = -1;
  #lastTotal = 0;
  #lastSeconds = -1;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly color: string,
  ) {
    this.#context = canvas.getContext('2d');
  }

  /**
   * Adds a reading of the running total.
   * @param seconds the current time
   * @param total the running total
   */
  add(seconds: number, total: number): void {
    const from = this.#lastSeconds;
    const count = total - this.#lastTotal;
    this.#lastSeconds = seconds;
    this.#lastTotal = total;
    if (from < 0 || count < 0 || seconds <= from) return;
    if (this.#firstColumn < 0) this.#firstColumn = Math.ceil(from / COLUMN_SECONDS);
    for (let column = Math.floor(from / COLUMN_SECONDS); column * COLUMN_SECONDS < seconds; column++) {
      const begin = Math.max(from, column * COLUMN_SECONDS);
      const end = Math.min(seconds, (column + 1) * COLUMN_SECONDS);
      this.#advanceTo(column);
      const slot = column % COLUMN_COUNT;
      this.#counts[slot] =
        (this.#counts[slot] as number) + (count * Math.max(0, end - begin)) / (seconds - from);
    }
    let lastSecond = 0;
    for (let back = 1; back <= 10; back++) lastSecond += this.#at(this.#column - back);
    this.rate = lastSecond / (10 * COLUMN_SECONDS);
  }

  draw(): void {
    const { canvas } = this;
    const context = this.#context;
    if (!context) return;
    const ratio = Math.min(devicePixelRatio, 2);
    const width = Math.round(canvas.clientWidth * ratio);
    const height = Math.round(canvas.clientHeight * ratio);
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    context.clearRect(0, 0, width, height);
    let highest = 1;
    for (const count of this.#counts) highest = Math.max(highest, count);
    const step = width / (COLUMN_COUNT - 1);
    for (let back = 1; back < COLUMN_COUNT && this.#column - back >= this.#firstColumn; back++) {
      const count = this.#at(this.#column - back);
      const bar = Math.max(1.5 * ratio, (count / highest) * height * 0.92);
      const isStill = count < 0.12;
      context.fillStyle = isStill ? '#ff5f6d' : this.color;
      context.globalAlpha = isStill ? 1 : 0.9;
      context.fillRect(width - back * step, height - bar, step - ratio * 0.8, bar);
    }
  }

  #at(column: number): number {
    return column < 0 ? 0 : (this.#counts[column % COLUMN_COUNT] as number);
  }

  #advanceTo(column: number): void {
    while (this.#column < column) {
      this.#column = Math.max(this.#column + 1, column - COLUMN_COUNT);
      this.#counts[this.#column % COLUMN_COUNT] = 0;
    }
  }
}
