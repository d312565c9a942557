// The Chromium flags under which WebGPU renders without a graphics card and without a window. Other, often quoted
// sets give an adapter and then lose the device after a few presented frames: see `probeWebGPU`.

export interface ChromiumLaunchOptions {
  /** The Chromium to start; without it Playwright's own. */
  readonly executablePath?: string | undefined;
  /** `software` (SwiftShader, the default: the same pixels everywhere), or `hardware`: the machine's GPU. */
  readonly gpu?: 'software' | 'hardware';
  /** More command-line flags. */
  readonly args?: readonly string[];
}

/** What `chromium.launch` of Playwright takes. */
export interface LaunchOptions {
  headless: true;
  executablePath?: string;
  chromiumSandbox: boolean;
  args: string[];
}

/** The verified software renderer on Linux. Other systems have no Vulkan SwiftShader to present with. */
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
 * Options for Playwright's `chromium.launch`, or `use.launchOptions` in its configuration.
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
    // Chromium's sandbox refuses to run as root, which is what most containers are.
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
