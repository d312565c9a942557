/** Runs the checks of `browser-checks.ts`, shows the result of each, and offers a report to paste. */
import { browserChecks } from './browser-checks.js';
import { byId } from './elements.js';

/** Milliseconds after which a check counts as failed. A browser may leave a promise pending forever. */
const CHECK_LIMIT = 60_000;

const state = byId('state', HTMLElement);
const copy = byId('copy', HTMLButtonElement);
const list = byId('checks', HTMLElement);
const report = [navigator.userAgent, `isolated: ${crossOriginIsolated}`];

let failures = 0;
for (const { name, run } of browserChecks(byId('view', HTMLElement))) {
  const began = performance.now();
  let outcome: string;
  let hasFailed = false;
  try {
    outcome = await inTime(run());
  } catch (error) {
    hasFailed = true;
    failures++;
    outcome = error instanceof Error ? error.message : String(error);
  }
  const milliseconds = Math.round(performance.now() - began);
  report.push(`${hasFailed ? 'FAILED' : 'ok'}  ${name}: ${outcome} (${milliseconds} ms)`);
  show(name, outcome, milliseconds, hasFailed);
}
state.textContent =
  failures === 0
    ? 'This browser supports everything that Fencepost relies on.'
    : `${failures} checks failed.`;
copy.disabled = false;
copy.addEventListener('click', async () => {
  await navigator.clipboard.writeText(report.join('\n'));
  copy.textContent = 'Copied';
});
document.documentElement.dataset.report = report.join('\n');

function show(name: string, outcome: string, milliseconds: number, hasFailed: boolean): void {
  const row = document.createElement('tr');
  row.className = hasFailed ? 'failed' : '';
  for (const text of [name, outcome, String(milliseconds)]) {
    const cell = document.createElement('td');
    cell.textContent = text;
    row.append(cell);
  }
  list.append(row);
}

async function inTime<T>(outcome: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No result within ${CHECK_LIMIT / 1000} s.`)), CHECK_LIMIT);
  });
  return Promise.race([outcome, late]).finally(() => clearTimeout(timer));
}
