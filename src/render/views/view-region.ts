/** The part of its whole picture that a view draws in one frame. */
export interface ViewRegion {
  /** Origin of the part in the picture, in pixels from the top left. */
  readonly x: number;
  readonly y: number;
  /** Size of the whole picture in this frame's resolution, in pixels. */
  readonly width: number;
  readonly height: number;
  /**
   * Whether this frame is the overview: the whole picture at a lower resolution, drawn before the parts. Effects that
   * need the whole picture keep their results of the overview, and use them in the parts.
   */
  readonly isOverview: boolean;
}
