// `npm start`: installs missing packages, then serves the demo. It also works in a fresh clone.
//
//   npm start                      isolated pages (COOP/COEP): threads share memory
//   npm start -- --no-isolation    like a plain static host: threads transfer memory pages to each other
//   npm start -- --port 8080
import { readCommandLine, refuse } from './lib/command-line.mjs';
import { ensureInstalled, projectRoot } from './lib/install.mjs';

const usage = 'Usage: npm start -- [--no-isolation] [--port N]';
const { values } = readCommandLine(usage, {
  options: { 'no-isolation': { type: 'boolean' }, isolation: { type: 'boolean' }, port: { type: 'string' } },
});
const port = Number(values.port ?? 0);
if (!(Number.isInteger(port) && port >= 0 && port < 65_536)) refuse(`${values.port} is not a port.`, usage);
// vite.config.ts reads these variables.
if (values['no-isolation']) process.env.FENCEPOST_ISOLATION = 'off';
if (values.port) process.env.FENCEPOST_PORT = values.port;

ensureInstalled();
const { createServer } = await import('vite');
const server = await createServer({ root: projectRoot });
await server.listen();
const isIsolated = process.env.FENCEPOST_ISOLATION !== 'off';
console.log(`\nThe Fencepost demo (${isIsolated ? '' : 'not '}cross-origin isolated) is served at\n`);
for (const url of server.resolvedUrls?.local ?? []) console.log(`  ${url}`);
console.log('\nStop it with Ctrl+C.');
