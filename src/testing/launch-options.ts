// The Chromium flags with which WebGPU renders without a graphics card and without a window. Other, often quoted flags
// find an adapter but lose the device after a few presented frames: see `probeWebGPU`.

export interface ChromiumLaunchOptions {
  /** Path of Chromium. Default: Playwright's own. */
  readonly executablePath?: string | undefined;
  /** `software`: SwiftShader, which draws the same pixels everywhere (default). `hardware`: the machine's GPU. */
  readonly gpu?: 'software' | 'hardware';
  /** Additional command-line flags. */
  readonly args?: readonly string[];
}

/** Parameter of Playwright's `chromium.launch`. */
export interface LaunchOptions {
  headless: true;
  executablePath?: string;
  chromiumSandbox: boolean;
  args: string[];
}

/** The tested software renderer on Linux. Other systems have no Vulkan SwiftShader that can present. */
const linuxSoftwareFlags = [
  '--enable-features=Vulkan',
  '--use-vulkan=swiftshader',
  '--use-angle=swiftshader',
  '--use-webgpu-adapter=swiftshader',
];

const quietFlags = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Returns options for Playwright's `chromium.launch`, or for `use.launchOptions` in its configuration.
 *
 * @example
 * export default defineConfig({ use: { launchOptions: chromiumLaunchOptions() } });
 */
export function chromiumLaunchOptions(options: ChromiumLaunchOptions = {}): LaunchOptions {
  const isRoot = process.getuid?.() === 0;
  const softwareFlags =
    process.platform === 'linux' ? linuxSoftwareFlags : ['--use-webgpu-adapter=swiftshader'];
  return {
    headless: true,
    ...(options.executablePath === undefined ? {} : { executablePath: options.executablePath }),
    // Chromium's sandbox refuses to run as root, the user of most containers.
    chromiumSandbox: false,
    args: [
      '--headless=new',
      '--enable-unsafe-webgpu',
      ...(options.gpu === 'hardware' ? [] : softwareFlags),
      ...(isRoot ? ['--no-sandbox'] : []),
      ...quietFlags,
      ...(options.args ?? []),
    ],
  };
}
