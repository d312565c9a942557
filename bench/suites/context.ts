/** What every suite gets from the runner, and what it gives back. */
import type { Browser } from 'playwright';
import type { PageWorkshop } from '../lib/build-pages.js';
import type { BenchResult, BenchTarget } from '../lib/report.js';
import type { BenchServer } from '../lib/server.js';

export interface SuiteContext extends PageWorkshop {
  readonly browser: Browser;
  readonly server: BenchServer;
  readonly count: number;
  readonly frames: number;
  readonly warmup: number;
  /** Runs of each engine in B6. */
  readonly runs: number;
  /** Folder for a picture per engine, to see that it really draws. */
  readonly pictures: string | undefined;
  /** Whether an engine, named as its file is, was asked for. */
  isWanted(file: string): boolean;
  log(message: string): void;
}

export interface SuiteOutcome {
  readonly results: BenchResult[];
  readonly targets: BenchTarget[];
  /** One line each: engines that could not be measured. */
  readonly failures: string[];
  readonly table: string;
}
