/**
 * Opens a capture and steps through it. The page lists a frame's commands. For the chosen command it shows the target
 * after that command, and the bound resources. A capture's file is self-contained, so nothing is fetched or sent.
 */
import {
  type BoundState,
  type ListedFrame,
  openDevice,
  openReplay,
  type ReplaySession,
  type TargetPicture,
} from '../src/rhi.js';
import { captureSample } from './capture-sample.js';
import { watchFiles } from './dropped-files.js';
import { byId } from './elements.js';

const commands = byId('commands', HTMLElement);
const frameSelect = byId('frame', HTMLSelectElement);
const summary = byId('summary', HTMLElement);
const message = byId('message', HTMLElement);
const picture = byId('picture', HTMLCanvasElement);
const target = byId('target', HTMLElement);
const stateList = byId('state', HTMLElement);
const sampleButton = byId('sample', HTMLButtonElement);

let session: ReplaySession | null = null;
let device: GPUDevice | null = null;
let frame = 0;
let command = 0;
/** Number of files that were opened. Only the last file is shown. */
let opens = 0;
/** True while a picture is being made. */
let isBusy = false;
/** True when the visitor has chosen a command whose picture is not being made yet. */
let isOutdated = false;

watchFiles(
  {
    stage: byId('workspace', HTMLElement),
    input: byId('file', HTMLInputElement),
    button: byId('open', HTMLButtonElement),
  },
  ([file]) => {
    if (file) void guard(async () => open(await file.arrayBuffer(), file.name));
  },
);
sampleButton.addEventListener('click', () =>
  guard(async () => open(await captureSample(await liveDevice()), 'the sample')),
);
frameSelect.addEventListener('change', () => chooseFrame(frameSelect.selectedIndex));
commands.addEventListener('click', ({ target: clicked }) => {
  const index = (clicked as HTMLElement).dataset.index;
  if (index !== undefined) choose(Number(index));
});
addEventListener('keydown', onKey);
showMessage('Open a file of engine.stopCapture(), or drop one here. The sample is captured in this page.');
if (new URLSearchParams(location.search).has('sample')) sampleButton.click();

/** Returns the same device for all files, until it is lost. */
async function liveDevice(): Promise<GPUDevice> {
  if (device) return device;
  const opened = (await openDevice(navigator.gpu)).device;
  device = opened;
  void opened.lost.then(() => {
    device = null;
  });
  return opened;
}

async function open(file: ArrayBuffer, name: string): Promise<void> {
  // Close the last file first, so that its contents are not shown beside the message about an invalid file.
  close();
  const number = ++opens;
  const replayDevice = await liveDevice();
  if (number !== opens) return;
  const opened = openReplay(file, replayDevice);
  session = opened;
  const { frames, capture } = opened;
  frameSelect.replaceChildren(...frames.map(({ frame: number }) => new Option(String(number))));
  frameSelect.disabled = false;
  const { adapter, backend } = capture.capabilities;
  const size = `${(file.byteLength / 1024).toLocaleString('en', { maximumFractionDigits: 0 })} KiB`;
  showMessage(
    [`${name}: ${frames.length} frames, ${size}, made on ${adapter} (${backend}).`, ...capture.notes].join(
      ' ',
    ),
  );
  chooseFrame(0);
  commands.focus();
}

function close(): void {
  session = null;
  for (const element of [commands, frameSelect, stateList]) element.replaceChildren();
  frameSelect.disabled = true;
  summary.textContent = target.textContent = '';
  picture.hidden = true;
}

function chooseFrame(index: number): void {
  const listed = session?.frames[index];
  if (!listed) return;
  frame = index;
  frameSelect.selectedIndex = index;
  const draws = listed.commands.filter(({ isWork }) => isWork).length;
  summary.textContent = `${listed.commands.length} commands, ${listed.passes.length} passes, ${draws} draws`;
  commands.replaceChildren(...listed.commands.map((_, place) => lineOf(listed, place)));
  const last = listed.commands.findLastIndex(({ isWork }) => isWork);
  choose(Math.max(last, 0));
}

function lineOf({ commands: listed }: ListedFrame, index: number): HTMLElement {
  const { line, inner, isWork, name } = listed[index];
  const element = document.createElement('div');
  const indentation = line.slice(0, line.search(/\S/));
  element.textContent = [line, ...inner.map((text) => `${indentation}  ${text}`)].join('\n');
  element.dataset.index = String(index);
  element.role = 'option';
  element.classList.toggle('work', isWork);
  element.classList.toggle('pass', /^(begin|end)(Render|Compute)Pass$/.test(name));
  return element;
}

function choose(index: number): void {
  const listed = session?.frames[frame];
  if (!session || !listed?.commands[index]) return;
  commands.children[command]?.removeAttribute('aria-selected');
  command = index;
  const line = commands.children[index] as HTMLElement;
  line.ariaSelected = 'true';
  line.scrollIntoView({ block: 'nearest' });
  showState(session.boundState(frame, index));
  void guard(showPicture);
}

/** Makes one picture at a time. If the visitor chooses several commands meanwhile, only the last is shown. */
async function showPicture(): Promise<void> {
  isOutdated = true;
  if (isBusy) return;
  isBusy = true;
  try {
    while (isOutdated && session) {
      isOutdated = false;
      const shown = session;
      const made = await shown.pictureAfter(frame, command);
      // Another file may have been opened meanwhile.
      if (shown === session) draw(made);
    }
  } finally {
    isBusy = false;
    document.documentElement.dataset.shown = `${frame} ${command}`;
  }
}

function draw(shown: TargetPicture | null): void {
  picture.hidden = shown === null;
  if (shown === null) {
    target.textContent = 'No pass has drawn in this frame yet.';
    return;
  }
  const { width, height, data, errors, format } = shown;
  picture.width = width;
  picture.height = height;
  picture.getContext('2d')?.putImageData(new ImageData(data, width, height), 0, 0);
  const refused = errors.length > 0 ? ` Refused: ${errors.map(String).join(' ')}` : '';
  target.textContent = `${shown.target} after this command, ${width} × ${height}, ${format}.${refused}`;
}

function showState(state: BoundState): void {
  const rows: [string, string][] = [];
  if (state.pass !== null) rows.push(['pass', state.pass]);
  if (state.pipeline !== null) rows.push(['pipeline', state.pipeline]);
  for (const [index, group] of Object.entries(state.groups)) rows.push([`bind group ${index}`, group]);
  for (const [slot, buffer] of Object.entries(state.vertexBuffers))
    rows.push([`vertex buffer ${slot}`, buffer]);
  if (state.indexBuffer !== null) rows.push(['index buffer', state.indexBuffer]);
  rows.push(...Object.entries(state.other));
  stateList.replaceChildren(
    ...rows.flatMap(([name, value]) => {
      const term = document.createElement('dt');
      const description = document.createElement('dd');
      term.textContent = name;
      description.textContent = value;
      return [term, description];
    }),
  );
}

function onKey(event: KeyboardEvent): void {
  const listed = session?.frames[frame]?.commands;
  if (!listed || event.target instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey)
    return;
  const draws = listed.flatMap(({ isWork }, index) => (isWork ? [index] : []));
  const steps: Record<string, () => void> = {
    ArrowUp: () => choose(command - 1),
    ArrowDown: () => choose(command + 1),
    ArrowLeft: () => choose(draws.findLast((index) => index < command) ?? -1),
    ArrowRight: () => choose(draws.find((index) => index > command) ?? -1),
    PageUp: () => chooseFrame(frame - 1),
    PageDown: () => chooseFrame(frame + 1),
  };
  const step = steps[event.key];
  if (!step) return;
  event.preventDefault();
  step();
}

async function guard(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    showMessage(error instanceof Error ? error.message : String(error), true);
  }
}

function showMessage(text: string, isBad = false): void {
  message.textContent = text;
  message.classList.toggle('bad', isBad);
}
