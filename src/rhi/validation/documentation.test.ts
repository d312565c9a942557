/** `docs/rhi-validation.md` lists all codes of validation with their messages, and no other codes. */
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

/** Messages by the heading under which the page lists them. */
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

it('docs/rhi-validation.md lists every code; UPDATE_DOCS=1 rewrites the lists', () => {
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest] = page.split(BEGIN);
  const [listed, after] = rest.split(END);
  if (process.env.UPDATE_DOCS === '1') {
    writeFileSync(PAGE, `${before}${BEGIN}\n\n${tables()}\n\n${END}${after}`);
    return;
  }
  expect(listed.trim()).toBe(tables());
});

it('every code is in kebab case, and every message has at least two clauses and ends with a full stop', () => {
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
