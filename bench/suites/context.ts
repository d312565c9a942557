/** Input and output of every suite. */
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
  /** Runs per engine in B6, per failure in RECOVERY (with a minimum), per page in FIRST_PICTURE (with a maximum). */
  readonly runs: number;
  /** Folder for a picture per engine, which shows that the engine really draws. */
  readonly pictures: string | undefined;
  /** Returns whether an engine was selected. @param file name of the engine's file */
  isWanted(file: string): boolean;
  log(message: string): void;
}

export interface SuiteOutcome {
  readonly results: BenchResult[];
  readonly targets: BenchTarget[];
  /** Engines that could not be measured, one line each. */
  readonly failures: string[];
  readonly table: string;
}
