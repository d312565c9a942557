// Finds the Chromium for tests and pictures. It looks, in this order, at CHROMIUM_PATH, the installed browsers, and
// Playwright's own download. If all are missing, `ensureChromium` downloads Playwright's build. If the download fails
// and the script runs as root, it installs Debian's package. `node scripts/find-chromium.mjs` prints the path.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';

const installedPaths = {
  linux: [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/usr/bin/google-chrome-stable',
    '/snap/bin/chromium',
  ],
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: [
    `${process.env.PROGRAMFILES}\\Google\\Chrome\\Application\\chrome.exe`,
    `${process.env['PROGRAMFILES(X86)']}\\Google\\Chrome\\Application\\chrome.exe`,
  ],
};

const helpMessage = `No Chromium was found, and none could be installed.
Either install one (Debian and Ubuntu: "sudo apt-get install chromium"; elsewhere: Chrome or Chromium),
or run "npx playwright install --with-deps chromium",
or set CHROMIUM_PATH to the executable of a Chromium 120 or newer.`;

/**
 * Returns the executable of a usable Chromium, or undefined.
 *
 * @param {{ env?: Record<string, string | undefined>, candidates?: string[], works?: (path: string) => boolean }}
 *   [options] replacements for this machine, for tests
 * @returns {string | undefined}
 */
export function findChromium(options = {}) {
  const env = options.env ?? process.env;
  const works = options.works ?? isUsable;
  if (env.CHROMIUM_PATH) {
    if (works(env.CHROMIUM_PATH)) return env.CHROMIUM_PATH;
    throw new Error(
      `CHROMIUM_PATH is "${env.CHROMIUM_PATH}", which is not a Chromium that starts. Correct it or unset it.`,
    );
  }
  const candidates = options.candidates ?? [
    ...(installedPaths[process.platform] ?? []),
    chromium.executablePath(),
  ];
  return candidates.find(works);
}

/**
 * Returns the executable of a usable Chromium, and installs one if there is none. Throws instructions when that fails.
 *
 * @returns {string}
 */
export function ensureChromium() {
  const found = findChromium();
  if (found) return found;
  console.log("No Chromium found: downloading Playwright's …");
  // Use the command-line program of the installed Playwright, so that the versions agree.
  const cli = fileURLToPath(new URL('cli.js', import.meta.resolve('playwright/package.json')));
  spawnSync(process.execPath, [cli, 'install', 'chromium'], { stdio: 'inherit' });
  const downloaded = findChromium();
  if (downloaded) return downloaded;
  if (process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log("The download failed. Installing the system's chromium package …");
    spawnSync('apt-get', ['update'], { stdio: 'inherit' });
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], {
      stdio: 'inherit',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    const installed = findChromium();
    if (installed) return installed;
  }
  throw new Error(helpMessage);
}

/**
 * Returns whether the executable prints a version. Some distributions have a script in Chromium's place that only asks
 * to install it.
 */
function isUsable(path) {
  if (!existsSync(path)) return false;
  if (process.platform === 'win32') return true; // there, --version opens a window
  return spawnSync(path, ['--version'], { timeout: 30_000 }).status === 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    console.log(ensureChromium());
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
