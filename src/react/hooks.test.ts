import { type ReactNode, useLayoutEffect } from 'react';
import { describe, expect, it, vi } from 'vitest';
import type { Actor } from '../index.js';
import { useEngine, useTick, useWorld } from './index.js';
import { codes, engine, find, h, mesh, root } from './react.test-support.js';

describe('events, ticks and hooks', () => {
  it('adds a listener only while an event prop is set, and calls the latest function', async () => {
    const calls: string[] = [];
    const add = vi.fn();
    const scene = (onClick?: (() => void) | null): ReactNode => mesh({ name: 'mesh', onClick });
    await root.render(scene());
    const actor = find('mesh');
    const original = actor.addEventListener.bind(actor);
    actor.addEventListener = (...args) => {
      add(args[0]);
      original(...args);
    };
    const click = (): void => {
      for (const listener of actor.listeners?.get('click')?.keys() ?? []) listener({} as never);
    };
    click();
    await root.render(scene(() => calls.push('first')));
    click();
    await root.render(scene(() => calls.push('second')));
    click();
    await root.render(scene(null));
    click();
    expect([calls, add.mock.calls]).toEqual([['first', 'second'], [['click']]]);
  });

  it('useTick calls the latest function; an error is reported, and the other ticks go on', async () => {
    const calls: string[] = [];
    const Ticking = ({ text }: { readonly text: string }): null => {
      useTick((seconds) => calls.push(`${text} ${seconds}`));
      useTick((seconds) => calls.push(`fixed ${seconds}`), { fixed: { hertz: 2 } });
      useTick(() => {
        throw new Error('a slip of the page');
      });
      useTick(() => calls.push('half'), { fixed: 1 });
      useTick(() => calls.push('after'), { group: 'post-update' });
      return null;
    };
    await root.render(h(Ticking, { text: 'one' }));
    await engine.step(0.5);
    await root.render(h(Ticking, { text: 'two' }));
    await engine.step(0.5);
    expect(calls).toEqual(['one 0.5', 'fixed 0.5', 'after', 'two 0.5', 'fixed 0.5', 'half', 'after']);
    expect(codes()).toEqual(['tick-failed']);
    await root.render(null);
    await engine.step(0.5);
    expect(calls).toHaveLength(7);
  });

  it('useEngine and useWorld return those of the scene, and refs are set in layout effects', async () => {
    const seen: unknown[] = [];
    const Inner = (): ReactNode => {
      const ref: { current: Actor | null } = { current: null };
      const [own, world] = [useEngine(), useWorld()];
      useLayoutEffect(() => {
        seen.push(own === engine, world === engine.world, ref.current?.world === world);
      });
      return mesh({ ref });
    };
    await root.render(h(Inner));
    expect(seen).toEqual([true, true, true]);
  });
});
