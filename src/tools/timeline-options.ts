/** How the timeline is shown over the page. */
export interface TimelineOptions {
  /** Where it is put. Default: the document's body. */
  readonly container?: HTMLElement;
  /** Time that is seen at first, in milliseconds, 1 to 60,000. Default: the last three frames, 120 at least and 10,000 at most. */
  readonly milliseconds?: number;
}

/** The timeline over the page, while it is open. */
export interface TimelineHandle {
  /** Takes it away; nothing of it goes on. Closing twice does nothing. */
  close(): void;
}
