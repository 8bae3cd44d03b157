import { randomBytes } from "node:crypto";
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, messageOf } from "@touchstone/core/advanced";
import { assertOwn, codeOf, readOwnText } from "@touchstone/util";

/** The file with the pauses in a data directory. */
export const PAUSE_FILE = "pause.json";

/** The longest pause, a day, so that a forgotten one ends. */
export const MAX_PAUSE_MS = 86_400_000;

/** A time during which strict checks only warn. */
export interface Pause {
  readonly since: Date;
  readonly until: Date;
  /** Whether `policy` and `narrow` only warn as well. */
  readonly policy?: boolean;
  /** The user who asked for it, if the system knows. */
  readonly by?: string;
  /** Why, in the user's words. */
  readonly reason?: string;
}

/** Who ended pauses before their time, and why. */
export type PauseEnd = Pick<Pause, "by" | "reason">;

/** Returns pauses without those of the policy: the checks stay paused. */
export function withoutPolicyPauses<All extends Pauses>(pauses: All): All {
  const checksOnly = ({ policy: _, ...pause }: Pause): Pause => pause;
  return {
    ...pauses,
    all: pauses.all && checksOnly(pauses.all),
    servers: new Map([...pauses.servers].map(([name, pause]) => [name, checksOnly(pause)])),
  };
}

/** Returns whether one of some pauses is for the policy as well. */
export function pausesPolicy({ all, servers }: Pauses): boolean {
  return [...(all === undefined ? [] : [all]), ...servers.values()].some(({ policy }) => policy);
}

/** The pauses in a data directory. */
export interface Pauses {
  /** For every server. */
  readonly all: Pause | undefined;
  /** For single servers, by the name in their records. */
  readonly servers: ReadonlyMap<string, Pause>;
  /** The last command that ended pauses since the last one that began one. */
  readonly ended?: PauseEnd;
}

/** Pauses, and why the file is ignored if it is. */
export interface ReadPauses extends Pauses {
  readonly fault?: string;
}

export const NO_PAUSES: Pauses = { all: undefined, servers: new Map() };

/** Largest file to read; a single command writes it. */
const MAX_BYTES = 1_048_576;
/** Clocks are set back by seconds. A larger correction would make a pause longer. */
const MAX_SKEW_MS = 60_000;

/**
 * Reads the pauses. Fails safe: a file that cannot be read or understood, or that another user could have written,
 * pauses nothing, and `fault` says why. Ended pauses are left out.
 */
export function readPauses(dataDir: string, now: Date): ReadPauses {
  const file = join(dataDir, PAUSE_FILE);
  let text: string;
  try {
    text = readOwnText(dataDir, file, { maxBytes: MAX_BYTES, owner: process.geteuid?.() });
  } catch (error) {
    if (codeOf(error) === "ENOENT") return NO_PAUSES;
    return { ...NO_PAUSES, fault: `${file} is ignored: ${reasonOf(error)}` };
  }
  const pauses = parsePauses(text);
  if (pauses === undefined) {
    const fault = `${file} is ignored: it is not what touchstone pause writes; touchstone resume removes it`;
    return { ...NO_PAUSES, fault };
  }
  return running(pauses, now);
}

/** Returns the pauses that have not ended. */
function running({ all, servers, ended }: Pauses, now: Date): Pauses {
  return {
    ...(ended && { ended }),
    all: ifOn(all, now),
    servers: new Map([...servers].filter(([, pause]) => ifOn(pause, now) !== undefined)),
  };
}

/** Returns a pause if it is active at a time. */
function ifOn(pause: Pause | undefined, now: Date): Pause | undefined {
  if (pause === undefined) return undefined;
  const { since, until } = pause;
  return now < until && now.getTime() >= since.getTime() - MAX_SKEW_MS ? pause : undefined;
}

/**
 * Returns a server's pause at a time: its own or that of every server, whichever ends later. It is for the policy if one of
 * them is.
 */
export function pauseOf({ all, servers }: Pauses, server: string, now: Date): Pause | undefined {
  const every = ifOn(all, now);
  const own = ifOn(servers.get(server), now);
  if (every === undefined || own === undefined) return every ?? own;
  const later = own.until > every.until ? own : every;
  return every.policy === true || own.policy === true ? { ...later, policy: true } : later;
}

/**
 * Writes the pauses atomically; removes the file if there are none, and nobody has ended any.
 * @throws Error if it cannot be written, or if gateways would ignore it because another user owns the directory or
 *   may write to it
 */
export function writePauses(dataDir: string, { all, servers, ended }: Pauses): void {
  const file = join(dataDir, PAUSE_FILE);
  if (all === undefined && servers.size === 0 && ended === undefined) {
    rmSync(file, { force: true });
    return;
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  assertOwn(dataDir, statSync(dataDir), process.geteuid?.());
  const partial = `${file}.${process.pid}-${randomBytes(4).toString("hex")}.part`;
  try {
    writeFileSync(partial, pausesText({ all, servers, ...(ended && { ended }) }), {
      flag: "wx",
      mode: 0o600,
    });
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

function pausesText({ all, servers, ended }: Pauses): string {
  const shown = ({ since, until, policy, by, reason }: Pause) => ({
    ...{ since: since.toISOString(), until: until.toISOString() },
    ...{ policy, by, reason },
  });
  const members = [...servers].map(
    ([name, pause]) => `${JSON.stringify(name)}: ${JSON.stringify(shown(pause))}`,
  );
  const whole = all === undefined ? "" : `"all": ${JSON.stringify(shown(all))}, `;
  const last = ended === undefined ? "" : `, "ended": ${JSON.stringify(ended)}`;
  return `{${whole}"servers": {${members.join(", ")}}${last}}\n`;
}

/** Reads the text of the file; undefined unless it is what {@link writePauses} writes. */
function parsePauses(text: string): Pauses | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || !hasOnly(value, ["all", "servers", "ended"])) {
    return undefined;
  }
  const { all, servers = {} } = value;
  const ended = value["ended"] === undefined ? undefined : parseEnding(value["ended"]);
  if (value["ended"] !== undefined && ended === undefined) return undefined;
  const whole = all === undefined ? undefined : parsePause(all);
  if (!isObject(servers) || (all !== undefined && whole === undefined)) return undefined;
  const each = new Map<string, Pause>();
  for (const [name, one] of Object.entries(servers)) {
    const pause = parsePause(one);
    if (pause === undefined) return undefined;
    each.set(name, pause);
  }
  return { all: whole, servers: each, ...(ended && { ended }) };
}

function parseEnding(value: unknown): PauseEnd | undefined {
  return isObject(value) && hasOnly(value, ["by", "reason"]) ? authorIn(value) : undefined;
}

/** Returns who paused, and the reason; undefined if they are not texts. */
function authorIn(value: Readonly<Record<string, unknown>>): PauseEnd | undefined {
  const { by, reason } = value;
  if (by !== undefined && typeof by !== "string") return undefined;
  if (reason !== undefined && typeof reason !== "string") return undefined;
  return { ...(by !== undefined && { by }), ...(reason !== undefined && { reason }) };
}

const PAUSE_KEYS = ["since", "until", "policy", "by", "reason"];

function parsePause(value: unknown): Pause | undefined {
  if (!isObject(value) || !hasOnly(value, PAUSE_KEYS)) return undefined;
  const { policy } = value;
  if (policy !== undefined && typeof policy !== "boolean") return undefined;
  const [since, until] = [momentOf(value["since"]), momentOf(value["until"])];
  if (since === undefined || until === undefined) return undefined;
  const length = until.getTime() - since.getTime();
  const author = authorIn(value);
  if (author === undefined || length <= 0 || length > MAX_PAUSE_MS) return undefined;
  return { since, until, ...(policy === true && { policy }), ...author };
}

function momentOf(value: unknown): Date | undefined {
  const moment = typeof value === "string" ? new Date(value) : new Date(Number.NaN);
  if (Number.isNaN(moment.getTime())) return undefined;
  return moment.toISOString() === value ? moment : undefined;
}

function hasOnly(value: object, names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name));
}

function reasonOf(error: unknown): string {
  if (codeOf(error) === "ELOOP") return "it is a link";
  return messageOf(error);
}
