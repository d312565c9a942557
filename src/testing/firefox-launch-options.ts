import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface FirefoxLaunchOptions {
  /** Path of Firefox. `puppeteer-core` requires it. Only the package `puppeteer` finds a Firefox by itself. */
  readonly executablePath?: string | undefined;
  /**
   * Path of a Vulkan driver manifest to render with. Chromium on Linux has `vk_swiftshader_icd.json` beside its
   * executable; `softwareDriverOf` returns its path. Default: the machine's own driver.
   */
  readonly driver?: string | undefined;
  /** Additional preferences by their names in `about:config`. */
  readonly preferences?: Readonly<Record<string, boolean | number | string>>;
}

/** Options for `launch` of `puppeteer-core`. */
export interface PuppeteerLaunchOptions {
  browser: 'firefox';
  headless: true;
  executablePath?: string;
  extraPrefsFirefox: Record<string, boolean | number | string>;
  env: Record<string, string | undefined>;
}

/**
 * Returns options for `launch` of `puppeteer-core`, which controls an unmodified Firefox through WebDriver BiDi.
 * Playwright supports only its own build of Firefox. With Chromium's software driver, Firefox draws the same
 * pixels as Chromium.
 *
 * @example
 * const browser = await puppeteer.launch(firefoxLaunchOptions({ executablePath: '/usr/bin/firefox' }));
 */
export function firefoxLaunchOptions(options: FirefoxLaunchOptions = {}): PuppeteerLaunchOptions {
  const { executablePath, driver, preferences = {} } = options;
  return {
    browser: 'firefox',
    headless: true,
    ...(executablePath === undefined ? {} : { executablePath }),
    extraPrefsFirefox: {
      'dom.webgpu.enabled': true,
      'gfx.webgpu.ignore-blocklist': true,
      ...preferences,
    },
    env: { ...process.env, ...(driver === undefined ? {} : { VK_ICD_FILENAMES: driver }) },
  };
}

/**
 * Returns the path of the manifest of Chromium's software driver. Looks beside the executable and in Debian's folder.
 * Returns `undefined` if neither has the file.
 *
 * @param chromium path of the Chromium executable
 */
export function softwareDriverOf(chromium: string): string | undefined {
  const name = 'vk_swiftshader_icd.json';
  // On Debian, `chromium` is a script in another folder than the driver.
  return [join(dirname(chromium), name), `/usr/lib/chromium/${name}`].find((path) => existsSync(path));
}
