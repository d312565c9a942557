export interface TaskStats {
  /** Running now; the pool starts them when they are needed, and ends them after long idleness. */
  readonly workers: number;
  readonly idleWorkers: number;
  /** Memory is shared with them; elsewhere it is copied. */
  readonly isShared: boolean;
  /** Tasks by what became of them so far; `pending` have not settled. */
  readonly pending: number;
  readonly done: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Bytes. */
  readonly memory: {
    /** Queues and slots that the threads share; 0 where no memory is shared. */
    readonly queues: number;
    /** Of all arenas: blocks in use now, and the most at a time. */
    readonly arenas: number;
    readonly arenasPeak: number;
  };
}
