/**
 * Draws a span of the timeline on a 2D canvas, and finds the bar under the pointer. A frame has the same colour in all
 * lanes, so that the eye can follow it:
 *
 *   time ▸            │ 10 ms          │ 20 ms
 *   main thread       ███ 9 ███   ███ 10 ███
 *   render worker        ███ 8 ███╲   ███ 9 ███        lines: update → record → submit → GPU → completed → release,
 *   RHI worker       ██ 7 ██       ╲██ 8 ██            and from a signal to the wait that it ended (dashed)
 *   fence completed  ─ 6 ──┤─ 7 ──────────┤ 8
 *
 * `TimelineView` calls `draw` only after changes. Bars narrower than a pixel on the same pixel are drawn once.
 */
import { EVENT_KINDS, shownName } from './event-kinds.js';
import { hasValues } from './lane-order.js';
import { type Bar, type Lane, labelOf as labelOfWhole, type TimelineModel } from './timeline-model.js';

/** Sizes in pixels. */
export const GUTTER = 142;
const RULER = 20;
const ROW = 21;
const INSET = 4;
/** Maximum number of frames whose bars are linked. More lines would hide the bars. */
const MOST_LINKED_FRAMES = 40;
/** Number of searched bars that end after the span. They may begin within it, because bars are sorted by their ends. */
const LOOK_AHEAD = 64;
const FONT = '11px system-ui, sans-serif';

/** Visible time, in milliseconds since the epoch. */
interface Stretch {
  readonly begin: number;
  readonly end: number;
}

/** A bar and its rectangle in the picture. */
interface Place {
  readonly bar: Bar;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export class TimelinePainter {
  readonly #model: TimelineModel;
  readonly #context: CanvasRenderingContext2D;
  #width = 0;
  #height = 0;
  #stretch: Stretch = { begin: 0, end: 1 };
  /** Rectangles of the last drawing, children after their parents. */
  #places: Place[] = [];
  readonly #tops = new Map<Lane, number>();
  /** Lanes with a row in the picture. */
  readonly #shown = new Set<Lane>();

  constructor(model: TimelineModel, context: CanvasRenderingContext2D) {
    this.#model = model;
    this.#context = context;
  }

  /**
   * Gives rows to lanes with a bar in the span, and removes the rows of lanes without bars near the span. Lanes of
   * the kinds `thread`, `fence` and `counter` always keep their rows, because an empty lane is information too.
   *
   * @param isHeld keeps all rows, so that nothing moves under the pointer
   * @returns the height of all rows, in CSS pixels
   */
  place({ begin, end }: Stretch, isHeld: boolean): number {
    const wide = (end - begin) * SPANS_KEPT;
    for (const lane of this.#model.lanes) {
      if (lane.kind === 'thread' || hasValues(lane) || hasBar(lane, begin, end)) this.#shown.add(lane);
      else if (!isHeld && !hasBar(lane, begin - wide, end + wide)) this.#shown.delete(lane);
    }
    return RULER + this.#shown.size * ROW + 6;
  }

  /**
   * Resizes the canvas only when its size differs, because resizing clears it and allocates memory.
   *
   * @param width, height CSS pixels
   */
  resize(width: number, height: number, pixelRatio: number): void {
    const { canvas } = this.#context;
    const pixels = [Math.round(width * pixelRatio), Math.round(height * pixelRatio)] as const;
    this.#width = width;
    this.#height = height;
    if (canvas.width !== pixels[0] || canvas.height !== pixels[1]) [canvas.width, canvas.height] = pixels;
    this.#context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  }

  timeAt(x: number): number {
    const { begin, end } = this.#stretch;
    return begin + ((x - GUTTER) / Math.max(1, this.#width - GUTTER)) * (end - begin);
  }

  /**
   * Returns the innermost bar at a point in CSS pixels. Bars narrower than 4 pixels are widened by two pixels on each
   * side.
   */
  barAt(x: number, y: number): Bar | null {
    if (x < GUTTER) return null;
    let found: Place | null = null;
    for (const place of this.#places) {
      const reach = place.right - place.left < 4 ? 2 : 0;
      if (x >= place.left - reach && x <= place.right + reach && y >= place.top && y <= place.bottom)
        found = place;
    }
    return found?.bar ?? null;
  }

  /** Returns the frames on which threads and the GPU work at `time`, each with its lane: "main thread 9". */
  workAt(time: number): string[] {
    return this.#model.lanes
      .filter(({ kind }) => kind === 'thread' || kind === 'gpu')
      .flatMap(({ name, bars }) => {
        const at = bars.find(({ frame, begin, end }) => frame > 0 && begin <= time && time <= end);
        return at ? [`${name} ${at.frame}`] : [];
      });
  }

  /**
   * Draws a span of the timeline.
   * @param pointerX position of the vertical line at the pointer, in CSS pixels; `null` for none
   */
  draw(stretch: Stretch, hovered: Bar | null, pointerX: number | null): void {
    this.#stretch = stretch;
    const context = this.#context;
    context.font = FONT;
    context.textBaseline = 'middle';
    context.clearRect(0, 0, this.#width, this.#height);
    this.#places = [];
    this.#tops.clear();
    const lanes = this.#model.lanes.filter((lane) => this.#shown.has(lane));
    for (const [index, lane] of lanes.entries()) {
      const top = RULER + index * ROW;
      this.#tops.set(lane, top);
      const isNewGroup = index > 0 && groupOf(lanes[index - 1] as Lane) !== groupOf(lane);
      context.fillStyle = index % 2 === 0 ? 'rgba(255,255,255,.035)' : 'rgba(255,255,255,.015)';
      context.fillRect(0, top, this.#width, ROW);
      if (isNewGroup) {
        context.fillStyle = 'rgba(255,255,255,.22)';
        context.fillRect(0, top, this.#width, 1);
      }
    }
    this.#drawRuler();
    context.save();
    context.beginPath();
    context.rect(GUTTER, 0, this.#width - GUTTER, this.#height);
    context.clip();
    for (const lane of lanes) this.#drawLane(lane, hovered);
    this.#drawLinks(hovered);
    if (pointerX !== null) {
      context.fillStyle = 'rgba(255,255,255,.4)';
      context.fillRect(pointerX, 0, 1, this.#height);
    }
    context.restore();
    this.#drawNames();
  }

  #x(time: number): number {
    const { begin, end } = this.#stretch;
    return GUTTER + ((time - begin) / (end - begin)) * (this.#width - GUTTER);
  }

  #drawRuler(): void {
    const context = this.#context;
    const { begin, end } = this.#stretch;
    const step = roundStep(((end - begin) / Math.max(1, this.#width - GUTTER)) * 90);
    for (let time = Math.ceil(begin / step) * step; time < end; time += step) {
      const x = this.#x(time);
      context.fillStyle = 'rgba(255,255,255,.09)';
      context.fillRect(x, 0, 1, this.#height);
      context.fillStyle = 'rgba(255,255,255,.6)';
      context.fillText(labelOf(time, step), x + 4, RULER / 2);
    }
  }

  #drawNames(): void {
    const context = this.#context;
    for (const [lane, top] of this.#tops) {
      context.fillStyle = lane.kind === 'thread' || lane.kind === 'gpu' ? '#fff' : 'rgba(255,255,255,.62)';
      const name =
        lane.name === 'GPU' && this.#model.hasGpuTimes === false ? 'GPU (seen from CPU)' : lane.name;
      context.fillText(name, 8, top + ROW / 2, GUTTER - 12);
    }
  }

  #drawLane(lane: Lane, hovered: Bar | null): void {
    const { bars } = lane;
    const { begin, end } = this.#stretch;
    const { newest } = this.#model;
    const isLasting = hasValues(lane);
    const first = firstEndingAfter(bars, begin);
    const seen: Bar[] = [];
    for (let index = first, beyond = 0; index < bars.length && beyond < LOOK_AHEAD; index++) {
      const bar = bars[index] as Bar;
      if (bar.begin <= end) seen.push(bar);
      if (bar.end > end) beyond++;
    }
    const last = bars.at(-1);
    if (isLasting && last && seen.at(-1) !== last && last.begin <= end) seen.push(last);
    // Draw from the last bar to the first, so that parents come before their children.
    const open: Bar[] = [];
    let drawnTo = Number.POSITIVE_INFINITY;
    for (const bar of seen.reverse()) {
      while (open.length > 0 && (open.at(-1) as Bar).begin > bar.begin) open.pop();
      const until = isLasting && bar === last ? Math.max(newest, bar.end) : bar.end;
      const left = this.#x(bar.begin);
      const right = Math.max(left + 0.75, this.#x(until));
      if (right < GUTTER) continue;
      const isHidden = right - left < 1 && left > drawnTo - 0.5 && bar !== hovered;
      if (!isHidden) this.#drawBar(bar, left, right, open.length, hovered);
      drawnTo = left;
      open.push(bar);
    }
    if (lane.kind === 'thread') this.#drawBegun(lane);
  }

  #drawBar(bar: Bar, left: number, right: number, depth: number, hovered: Bar | null): void {
    const context = this.#context;
    const { lane, frame } = bar;
    const isBright = bar === hovered || (hovered !== null && hovered.frame > 0 && hovered.frame === frame);
    const laneTop = this.#tops.get(lane) ?? 0;
    const top = laneTop + 2 + Math.min(depth, 3) * INSET;
    const bottom = laneTop + ROW - 2;
    const width = right - left;
    this.#places.push({ bar, left, right, top, bottom });
    const hue = hueOf(frame);
    if (lane.kind === 'wait') {
      context.strokeStyle = `hsl(${hue} ${frame > 0 ? 60 : 0}% 68% / ${isBright ? 1 : 0.6})`;
      context.setLineDash([2, 2]);
      context.strokeRect(left + 0.5, top + 3.5, Math.max(0, width - 1), bottom - top - 7);
      context.setLineDash([]);
    } else {
      const saturation = frame > 0 ? 58 : 0;
      const light = lane.kind === 'fence' ? 30 : 46 + depth * 6;
      context.fillStyle = `hsl(${hue} ${saturation}% ${isBright ? light + 16 : light}%)`;
      context.fillRect(left, top, Math.max(0.75, width - 0.5), bottom - top);
    }
    if (bar === hovered) {
      context.strokeStyle = '#fff';
      context.strokeRect(left - 0.5, top - 0.5, width + 1, bottom - top + 1);
    }
    if (width < 15) return;
    const begin = Math.max(left, GUTTER);
    const room = right - begin - 6;
    const label = labelOfBar(bar, room, (text) => context.measureText(text).width);
    if (!label) return;
    context.fillStyle = lane.kind === 'wait' ? 'rgba(255,255,255,.75)' : '#fff';
    context.fillText(label, begin + 3, (top + bottom) / 2 + 0.5);
  }

  /** Draws the event that a thread has begun and not ended yet. Its work may still run, or hang. */
  #drawBegun(lane: Lane): void {
    const begun = this.#model.begun.get(lane.thread);
    if (!begun) return;
    const [type, frame, begin] = begun;
    const kind = EVENT_KINDS[type];
    const until = this.#model.readAt;
    const currentStage = this.#model.currentStage(lane);
    if (!kind || until - begin < LEAST_UNFINISHED) return;
    if (!currentStage && this.#hasEnded(lane.thread, begin)) return;
    const context = this.#context;
    const { lanes } = this.#model;
    const waits = lanes.find((each) => each.thread === lane.thread && each.kind === 'wait');
    const waitsTop = kind.isWait && waits ? this.#tops.get(waits) : undefined;
    const top = (waitsTop ?? this.#tops.get(lane) ?? 0) + 2;
    const left = this.#x(begin);
    const right = this.#x(until);
    context.fillStyle = `hsl(${hueOf(frame)} 58% 46% / .45)`;
    context.fillRect(left, top, Math.max(1, right - left), ROW - 4);
    context.fillStyle = '#fff';
    if (right - left > 90) {
      context.fillText(
        `${this.#model.nameOf(kind.name, lane.thread, frame) ?? `${shownName(kind.name)} ${frame}`}, under way`,
        Math.max(left, GUTTER) + 3,
        top + ROW / 2 - 2,
      );
    }
  }

  /** Returns whether the thread has recorded an event that ended at or after `begin`. */
  #hasEnded(thread: string, begin: number): boolean {
    return this.#model.lanes.some((lane) => lane.thread === thread && (lane.bars.at(-1)?.end ?? 0) >= begin);
  }

  #drawLinks(hovered: Bar | null): void {
    const { chains, lanes } = this.#model;
    const { begin, end } = this.#stretch;
    const seen: [number, (Bar | undefined)[]][] = [];
    for (const [frame, chain] of chains) {
      const bars = chain.filter((bar) => bar !== undefined);
      if (bars.some((bar) => bar.begin < end) && bars.some((bar) => bar.end > begin))
        seen.push([frame, bars]);
    }
    for (const [frame, bars] of seen) {
      const isBright = hovered !== null && frame > 0 && hovered.frame === frame;
      if (!isBright && seen.length > MOST_LINKED_FRAMES) continue;
      this.#style(`hsl(${hueOf(frame)} 70% 72% / ${isBright ? 1 : 0.35})`, isBright ? 1.5 : 1, []);
      for (let index = 1; index < bars.length; index++) this.#line(bars[index - 1], bars[index]);
    }
    for (const lane of lanes) {
      if (lane.kind !== 'wait' && lane.kind !== 'fenceLog') continue;
      for (const bar of lane.bars.slice(firstEndingAfter(lane.bars, begin))) {
        const signal = this.#model.signalOf(bar);
        if (!signal || bar.begin > end) continue;
        const isBright = bar === hovered;
        if (!isBright && seen.length > MOST_LINKED_FRAMES) continue;
        this.#style(`rgba(255,255,255,${isBright ? 0.95 : 0.3})`, isBright ? 1.5 : 1, [3, 3]);
        this.#stroke(this.#x(signal.begin), signal.lane, this.#x(bar.end), bar.lane);
      }
    }
    this.#context.setLineDash([]);
  }

  #style(color: string, width: number, dash: number[]): void {
    const context = this.#context;
    context.strokeStyle = color;
    context.lineWidth = width;
    context.setLineDash(dash);
  }

  // Draws a line between two bars. The line leaves a fence's value at its begin. It leaves any other bar at its end, or
  // at the beginning of `to` if that is earlier.
  #line(from: Bar | undefined, to: Bar | undefined): void {
    if (!from || !to) return;
    const leaves =
      from.lane.kind === 'fence' ? from.begin : Math.min(from.end, Math.max(from.begin, to.begin));
    this.#stroke(this.#x(leaves), from.lane, this.#x(to.begin), to.lane);
  }

  #stroke(fromX: number, from: Lane, toX: number, to: Lane): void {
    const context = this.#context;
    const fromTop = this.#tops.get(from);
    const toTop = this.#tops.get(to);
    if (fromTop === undefined || toTop === undefined) return;
    const fromY = fromTop + ROW / 2;
    const toY = toTop + ROW / 2;
    const bend = Math.max(6, Math.abs(toX - fromX) / 2);
    context.beginPath();
    context.moveTo(fromX, fromY);
    context.bezierCurveTo(fromX + bend, fromY, toX - bend, toY, toX, toY);
    context.stroke();
    context.lineWidth = 1;
  }
}

/** A lane keeps its row if it has a bar within this many spans of the visible time, so that rows don't jump. */
const SPANS_KEPT = 2;

function hasBar({ bars }: Lane, begin: number, end: number): boolean {
  for (let index = firstEndingAfter(bars, begin); index < bars.length; index++)
    if ((bars[index] as Bar).begin <= end) return true;
  return false;
}

/** Least duration in milliseconds of unfinished work that is drawn. Shorter work ends before it can be seen. */
const LEAST_UNFINISHED = 30;

/** Returns a hue for a frame. Steps of the golden angle give neighbouring frames distinct colours. */
function hueOf(frame: number): number {
  return (frame * 137.5) % 360;
}

function groupOf({ kind, thread }: Lane): string {
  if (kind === 'fence' || kind === 'fenceLog' || kind === 'fenceCall') return 'fence';
  return kind === 'gpu' || kind === 'queue' ? 'gpu' : thread;
}

/** Returns the longest label that fits: "record 7", "7" or nothing; for a fence "drawn 2" or "2". */
function labelOfBar(bar: Bar, room: number, widthOf: (text: string) => number): string {
  const { frame, fence } = bar;
  const long = labelOfWhole(bar);
  if (widthOf(long) <= room) return long;
  const short = fence ? `${fence.value}` : frame > 0 ? `${frame}` : '';
  return widthOf(short) <= room ? short : '';
}

/** Returns the index of the first bar that ends at or after `time`. Bars are sorted by their ends. */
function firstEndingAfter(bars: readonly Bar[], time: number): number {
  let low = 0;
  let high = bars.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bars[middle] as Bar).end < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the least of 1, 2 or 5 times a power of ten that is at least `least`. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? least;
}

/** Returns the label of a time: seconds of the minute, in the step's precision. */
function labelOf(time: number, step: number): string {
  const digits = Math.max(0, Math.min(5, -Math.floor(Math.log10(step / 1000))));
  return `${((time / 1000) % 60).toFixed(digits)} s`;
}
