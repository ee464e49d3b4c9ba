/** Types of pigpen.js. */

/** Views, actions and events are described in specs/games/. */
export type Value =
  | null | boolean | number | string | Uint8Array | Value[] | { [key: string]: Value };
export type Action = { [key: string]: Value };
export type Move = number | Action;
/** An index into act.legal, or an action, or either of them with a note. */
export type Answer = Move | [Move, string | Uint8Array];

export interface Match {
  id: number;
  /** "dirty_pig" */
  game: string;
  /** Version of the game's rules. */
  rules: number;
  options: { [name: string]: Value };
  /** Ours, from 0. */
  seat: number;
  seats: number;
  /** One for each seat; -1: none, or not settled. */
  teams: number[];
  /** The rule; bank_ms and inc_ms both 0: no bank; move_ms 0: no cap on one answer. */
  clock: { kind: "wall" | "cpu"; bank_ms: number; inc_ms: number; move_ms: number };
  /** The arbiter's promise about the deals. */
  commit: Uint8Array;
  /** A seed for us alone. */
  rng: Uint8Array;
  /** By seat; empty: opponents are anonymous. */
  names: string[];
  /** Like Math.random, seeded with rng: a bot that uses no other randomness plays the same
   * match again when it is asked the same questions. */
  random(): number;
  /** The bot's own. */
  data: any;
}

export interface Act {
  /** Our questions in this match, from 1. */
  turn: number;
  /** All that our seat may know. */
  view: any;
  /** What happened since the last question. */
  events: any[];
  /** Everything allowed, sorted. */
  legal: Action[];
  /** move_ms: time for this answer, everything considered (0: no limit); bank_ms: what
   * is in the bank before it. */
  clock: { move_ms: number; bank_ms: number };
}

export interface Refusal {
  turn: number;
  clause: string;
  why: string;
}

type Maybe = void | Promise<void>;

/** A bot: only `act` must be there. */
export interface Bot {
  name?: string;
  version?: string;
  /** How many at once; 1 if missing. */
  matches?: number;
  /** Call `event` as things happen. */
  events?: boolean;
  /** A match begins. The arbiter waits until this is done. */
  match?(match: Match): Maybe;
  /** Decide. */
  act(match: Match, act: Act): Answer | Promise<Answer>;
  /** Things happened; only if `events` is set. */
  event?(match: Match, events: any[]): Maybe;
  /** An action of ours was refused; `act` is asked again. */
  refuse?(match: Match, refusal: Refusal): Maybe;
  /** The connection was lost and is back; the view is complete and current. A question
   * that is open follows through `act`, with no events. */
  resume?(match: Match, view: any): Maybe;
  /** The match is over. result is null if it was void or our seat was taken. */
  end?(match: Match, result: any, events: any[]): Maybe;
}

/** Plays until the arbiter says bye. Sets process.exitCode to 2 if the environment is not
 * set, to 1 if the connection was lost or refused. */
export function run(bot: Bot): Promise<void>;
