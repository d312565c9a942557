import { THREADING_MODES } from './page-options.js';

/** Returns the HTML of the panel, which is the same on all pages. It contains no external text. */
export function panelMarkup(isIsolated: boolean): string {
  const badge = isIsolated
    ? '<span class="badge" title="This page is cross-origin isolated: threads share memory.">shared memory</span>'
    : '<span class="badge" title="This page is not cross-origin isolated: threads transfer memory to each other. The pictures are the same.">transfer</span>';
  const modes = THREADING_MODES.map(
    (mode) =>
      `<label><input type="radio" name="threading" value="${mode}" /><b>${mode}</b><small data-measured="${mode}">not tried</small></label>`,
  ).join('');
  const lane = (name: string, label: string, parts: string): string =>
    `<span>${label}</span><div class="lane" data-lane="${name}">${parts}</div><span class="ms" data-ms="${name}">–</span>`;
  const bar = (name: string): string => `<i class="${name}"></i>`;
  const figure = (id: string, label: string): string => `<dt>${label}</dt><dd id="${id}">–</dd>`;
  return `
<section>
  <div class="title"><h2>Where a frame’s time goes</h2>${badge}</div>
  <fieldset class="modes"><legend class="hidden">Threading mode, and main-thread time per frame in it</legend>${modes}</fieldset>
  <div class="lanes">
    ${lane('page', 'Page', bar('game') + bar('render') + bar('rhi'))}
    ${lane('worker', 'Render worker', bar('render') + bar('rhi'))}
    ${lane('rhi', 'RHI worker', bar('rhi'))}
    ${lane('gpu', 'GPU', bar('gpu'))}
  </div>
  <p class="key">
    <span><i class="game"></i>game</span><span><i class="render"></i>record</span><span><i class="rhi"></i>translate to WebGPU</span>
    <span id="scale"></span>
  </p>
  <p class="verdict" id="verdict">Measuring …</p>
</section>
<section>
  <div class="strips">
    <div class="strip">
      <span class="who">
        <svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="6.5" fill="none" stroke="#ff9a4d" stroke-opacity=".3" stroke-width="2.4" /><g id="dial"><path d="M8 1.5A6.5 6.5 0 0 1 14.5 8" fill="none" stroke="#ff9a4d" stroke-width="2.4" stroke-linecap="round" /></g></svg>
        Page
      </span>
      <b id="page-rate">–</b>
      <canvas id="page-strip" aria-hidden="true"></canvas>
    </div>
    <div class="strip">
      <span class="who">Picture</span>
      <b id="picture-rate">–</b>
      <canvas id="picture-strip" aria-hidden="true"></canvas>
    </div>
  </div>
  <dl><dt>A click waits up to</dt><dd id="wait">–</dd></dl>
</section>
<section>
  <h2>Try to stop the picture</h2>
  <div class="trials">
    <button type="button" id="block">Block the page 2 s</button>
    <button type="button" id="lose">Lose the GPU</button>
    <button type="button" id="kill">Kill a worker</button>
    <button type="button" id="timeline" aria-pressed="false" aria-keyshortcuts="F8">Timeline <kbd>F8</kbd></button>
  </div>
  <p class="note" id="block-note" aria-live="polite"></p>
  <ol class="log" id="log" role="log" aria-label="What happened, newest first" tabindex="0"></ol>
  <label class="check"><input type="checkbox" id="lag" checked /> The game may run one frame ahead</label>
</section>
<section>
  <details>
    <summary>Figures of the last frame</summary>
    <dl>
      ${figure('draws', 'Draw calls')}${figure('instances', 'Instances')}${figure('visible', 'Visible primitives')}
      ${figure('in-flight', 'Frames in flight')}${figure('game-wait', 'Game waits for render')}
      ${figure('commands', 'Render commands')}${figure('lists', 'RHI commands')}${figure('uploads', 'Uploads')}
      ${figure('resources', 'GPU resources')}${figure('retained', 'Kept for a restart')}
    </dl>
  </details>
</section>`;
}
