// `npm start`: from a fresh clone to the demo in a browser. Installs what is missing, then serves the demo.
//
//   npm start                      isolated pages (COOP/COEP): threads share memory
//   npm start -- --no-isolation    as a plain static host: pages are transferred instead
//   npm start -- --port 8080
import { parseArgs } from 'node:util';
import { ensureInstalled, projectRoot } from './lib/install.mjs';

const { values } = parseArgs({
  options: { 'no-isolation': { type: 'boolean' }, isolation: { type: 'boolean' }, port: { type: 'string' } },
});
// vite.config.ts reads these.
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
