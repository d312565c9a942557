/**
 * Meaning of the numbers in event rings: the lane of each type of event, and the text for its extra number.
 * Synchronous work of a thread nests in the thread's own lane. Waits, loads and presented images overlap this work, so
 * they have lanes of their own.
 */
import { EVENT_NAMES } from '../core/events/event-reader.js';
import type { TimelineEvent } from '../core/events/event-ring.js';

export type EventName = keyof typeof TimelineEvent;

/** The part of the frame to which an event belongs, or its subject. */
export type Stage =
  | 'game'
  | 'render'
  | 'RHI'
  | 'GPU'
  | 'canvas'
  | 'fence'
  | 'loads'
  | 'tasks'
  | 'scopes'
  | 'memory';

interface EventKind {
  readonly name: EventName;
  readonly stage: Stage;
  /** Whether the event is uninterrupted work of the thread; otherwise only time passes. */
  readonly isWork: boolean;
  readonly isWait: boolean;
  /** Returns the text for the extra number, with its unit. */
  readonly describe: (extra: number) => string;
}

const nothing = (): string => '';

const KINDS: Readonly<Record<EventName, Omit<EventKind, 'name'>>> = {
  tick: work('game'),
  update: work('game', bytes('of render commands')),
  gameWait: wait('game', (frame) => `for frame ${frame}`),
  commands: work('render'),
  record: work('render', bytes('of RHI commands')),
  cull: work('render'),
  renderWait: wait('render', (list) => (list > 0 ? `for list ${list} on the GPU` : 'for the stream')),
  execute: work('RHI', bytes('uploaded so far')),
  submit: work('RHI', (count) => `${count} live resources`),
  rhiWait: wait('RHI', (list) => `for list ${list} on the GPU`),
  purge: work('RHI', (list) => `after list ${list}`),
  gpuPass: passing('GPU'),
  rendered: passing('fence'),
  submitted: passing('fence', list),
  completed: passing('fence', list),
  present: passing('canvas'),
  load: passing('loads', ofLoad),
  read: passing('tasks', ofLoad),
  build: passing('tasks', ofLoad),
  decode: passing('tasks', ofLoad),
  loop: work('tasks', (count) => `${count} ranges by helpers`),
  task: work('tasks', (count) => (count > 1 ? `${count} indices` : '')),
  runnable: work('tasks'),
  scope: work('scopes'),
  span: passing('scopes'),
  counter: passing('scopes', String),
  collection: passing('memory', bytes('fewer on the heap')),
};

/** Kinds by the number of the event type. */
export const EVENT_KINDS: readonly (EventKind | undefined)[] = EVENT_NAMES.map((name) => {
  const known = name as EventName | undefined;
  return known && { name: known, ...KINDS[known] };
});

/** Kinds by name. A whole list on the GPU is not an event and has no entry. */
export const KIND_BY_NAME: ReadonlyMap<string, EventKind> = new Map(
  EVENT_KINDS.flatMap((kind) => (kind ? [[kind.name, kind] as const] : [])),
);

/** Returns the displayed name. A purge is shown as `release`, because it releases the resources of finished lists. */
export function shownName(name: EventName | 'gpu'): string {
  if (name === 'gpu') return 'GPU';
  return name === 'purge' ? 'release' : name;
}

function work(stage: Stage, describe: (extra: number) => string = nothing): Omit<EventKind, 'name'> {
  return { stage, isWork: true, isWait: false, describe };
}

function wait(stage: Stage, describe: (extra: number) => string): Omit<EventKind, 'name'> {
  return { stage, isWork: false, isWait: true, describe };
}

function passing(stage: Stage, describe: (extra: number) => string = nothing): Omit<EventKind, 'name'> {
  return { stage, isWork: false, isWait: false, describe };
}

function bytes(what: string): (extra: number) => string {
  return (count) => `${count.toLocaleString('en')} bytes ${what}`;
}

function ofLoad(number: number): string {
  return `load ${number}`;
}

function list(number: number): string {
  return `list ${number}`;
}
