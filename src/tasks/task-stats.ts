export interface TaskStats {
  /** Number of live workers. The pool starts workers when needed, and ends them after a long idle time. */
  readonly workers: number;
  readonly idleWorkers: number;
  /** Whether memory is shared with the workers. Otherwise it is copied. */
  readonly isShared: boolean;
  /** Number of tasks that have not settled. */
  readonly pending: number;
  /** Number of tasks that have ended with a result. */
  readonly done: number;
  /** Number of tasks that have ended with an error. */
  readonly failed: number;
  readonly cancelled: number;
  /** Sizes in bytes. */
  readonly memory: {
    /** Queues and slots that the threads share; 0 without shared memory. */
    readonly queues: number;
    /** Blocks of all arenas that are in use now. */
    readonly arenas: number;
    /** Sum of the largest sizes of all arenas so far. */
    readonly arenasPeak: number;
  };
}
