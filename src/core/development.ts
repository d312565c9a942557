/**
 * Whether the page is built for development: its bundler has taken the package's `development` condition then, whose entry
 * (`src/development.ts`) says so. Without a bundler, and wherever nothing is said, it is not. What depends on it is
 * a part of that entry, so that a page built for production has none of it.
 */
export const development: {
  isOn: boolean;
  /** Throws where what is named comes on another thread than the game's (SYSTEMS R10). */
  checkThread?: (call: string) => void;
} = { isOn: false };
