/** Direction and place of a view by which draws are sorted. */
export interface SortView {
  /** Direction of view, unit length. */
  readonly forward: Float64Array;
  /** Position of the camera, in metres from the render origin. Shadow views have none. */
  readonly position?: Float64Array;
  /** Row-major matrix. Only passes that separate transmissive draws need it. */
  readonly clipFromWorld?: Float64Array;
}
