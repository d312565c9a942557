// `npm run test:firefox`: runs the smoke suite in an unmodified Firefox, and compares pixels with those of Chromium in
// the same run. If it runs as root and finds no Firefox, it installs one. `npm test` also runs the suite when a Firefox
// is installed.
//
//   npm run test:firefox
//   npm run test:firefox -- --repeat-each 30      further arguments go to Playwright
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, projectRoot } from './lib/install.mjs';

ensureInstalled();
const { ensureFirefox, hasVulkan } = await import('./find-firefox.mjs');
try {
  console.log(`Firefox: ${ensureFirefox()}`);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
if (!hasVulkan()) {
  console.error('Firefox finds no Vulkan here. Install libvulkan1 (Debian) or vulkan-loader.');
  process.exit(1);
}
const { status } = spawnSync(
  process.execPath,
  [join('scripts', 'test.mjs'), '--only', 'e2e', 'e2e/firefox', ...process.argv.slice(2)],
  { cwd: projectRoot, stdio: 'inherit' },
);
process.exitCode = status ?? 1;
