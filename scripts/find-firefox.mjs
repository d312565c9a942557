// Finds the Firefox for tests. It looks at FIREFOX_PATH, then at the installed browsers. `ensureFirefox` installs
// Debian's package if the script runs as root. `node scripts/find-firefox.mjs` prints the path.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const installedPaths = {
  linux: ['/usr/bin/firefox-esr', '/usr/bin/firefox', '/snap/bin/firefox'],
  darwin: ['/Applications/Firefox.app/Contents/MacOS/firefox'],
  win32: [`${process.env.PROGRAMFILES}\\Mozilla Firefox\\firefox.exe`],
};

/** The first version with WebGPU in workers. */
const LEAST_VERSION = 147;

const helpMessage = `No Firefox ${LEAST_VERSION} or newer was found, and none could be installed.
Either install one (Debian, as root: "apt-get install firefox-esr libvulkan1"; elsewhere: from mozilla.org),
or set FIREFOX_PATH to its executable.`;

/** Returns the executable of a usable Firefox, or undefined. */
export function findFirefox({ env = process.env, candidates, works = isUsable } = {}) {
  if (env.FIREFOX_PATH) {
    if (works(env.FIREFOX_PATH)) return env.FIREFOX_PATH;
    throw new Error(
      `FIREFOX_PATH is "${env.FIREFOX_PATH}", but no Firefox ${LEAST_VERSION} or newer starts there. Correct it or unset it.`,
    );
  }
  return (candidates ?? installedPaths[process.platform] ?? []).find(works);
}

/**
 * Returns the executable of a usable Firefox, and installs one if there is none. Throws instructions when that fails.
 */
export function ensureFirefox() {
  const isDebianRoot =
    process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (isDebianRoot && !(findFirefox() && hasVulkan())) {
    console.log("Installing the system's firefox-esr and libvulkan1 …");
    spawnSync('apt-get', ['update'], { stdio: 'inherit' });
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'firefox-esr', 'libvulkan1'], {
      stdio: 'inherit',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  }
  const found = findFirefox();
  if (found) return found;
  throw new Error(helpMessage);
}

/** Returns whether Firefox can load Vulkan. Chromium contains it, Firefox does not. */
export function hasVulkan() {
  if (process.platform !== 'linux') return true;
  const { stdout } = spawnSync('/sbin/ldconfig', ['-p'], { encoding: 'utf8' });
  return stdout?.includes('libvulkan.so.1') ?? false;
}

function isUsable(path) {
  if (!existsSync(path)) return false;
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 30_000 });
  const version = /Firefox (\d+)/.exec(stdout ?? '');
  return version !== null && Number(version[1]) >= LEAST_VERSION;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(ensureFirefox());
