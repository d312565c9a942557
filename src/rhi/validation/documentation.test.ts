/** docs/rhi-validation.md lists every code with its message, and no other. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  bundleMessages,
  drawMessages,
  frameMessages,
  handleMessages,
  lifetimeMessages,
  orderMessages,
  recordMessages,
  validationMessages,
} from './messages.js';

/** Messages by heading of the documentation. */
const validationTopics = {
  Records: recordMessages,
  'Frames, viewports and passes': frameMessages,
  Handles: handleMessages,
  Lifetimes: lifetimeMessages,
  'Draws and dispatches': drawMessages,
  'Draw bundles': bundleMessages,
  'Fences, queues and transitions': orderMessages,
} as const;

const PAGE = 'docs/rhi-validation.md';
const [BEGIN, END] = ['<!-- messages: begin -->', '<!-- messages: end -->'];

function tables(): string {
  return Object.entries(validationTopics)
    .map(([topic, messages]) => {
      const rows = Object.entries(messages).map(([code, text]) => `| \`${code}\` | ${text} |`);
      return [`### ${topic}`, '', '| code | message |', '| --- | --- |', ...rows].join('\n');
    })
    .join('\n\n');
}

it('the documentation lists every code; UPDATE_DOCS=1 writes it again', () => {
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest] = page.split(BEGIN);
  const [listed, after] = rest.split(END);
  if (process.env.UPDATE_DOCS === '1') {
    writeFileSync(PAGE, `${before}${BEGIN}\n\n${tables()}\n\n${END}${after}`);
    return;
  }
  expect(listed.trim()).toBe(tables());
});

it('every message consists of sentences, and the last one is a remedy', () => {
  for (const [code, text] of Object.entries(validationMessages)) {
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(text.split(/[.:;] /).length, code).toBeGreaterThan(1);
    expect(text, code).toMatch(/(\.|\{remedy\}\.)$/);
  }
});

it('no two topics share a code', () => {
  const codes = Object.values(validationTopics).flatMap((messages) => Object.keys(messages));
  expect(codes.length).toBe(Object.keys(validationMessages).length);
});
