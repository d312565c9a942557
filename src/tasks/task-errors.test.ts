import { describe, expect, it } from 'vitest';
import { loadFailed } from './task-errors.js';

describe('loadFailed', () => {
  it('names the address and the cause', () => {
    const { message } = loadFailed('https://x.org/waves.js', 'the page', new Error('404.'));
    expect(message).toBe(
      "The task module https://x.org/waves.js can't be loaded in the page: 404. Check its address, and what it imports.",
    );
  });

  it('gives the remedy for a module that a bundler has copied, and never prints the module', () => {
    const url = `data:text/javascript;base64,${'A'.repeat(2000)}`;
    const copied = loadFailed(
      url,
      'the page',
      new TypeError(`Failed to fetch dynamically imported module: ${url}`),
    );
    expect(copied.message).toContain('entry of its own');
    expect(copied.message.length).toBeLessThan(400);
    const bare = new TypeError('Failed to resolve module specifier "fencepost/tasks".');
    expect(loadFailed('https://x.org/waves.js', 'the page', bare).message).toContain('entry of its own');
  });
});
