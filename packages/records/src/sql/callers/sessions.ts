import type { SessionFilter } from "../../caller-filter.ts";
import type { Session, SessionPage } from "../../response-schemas.ts";
import type { ReadDatabase, RunQuery } from "../database.ts";
import { sortedPage } from "./page.ts";
import { callerCells } from "./read.ts";
import { CALLER_COUNTS, type CallerCell, SESSION_GAP_MS } from "./rollup.ts";

type Cell = Pick<
  CallerCell,
  "slot" | "caller" | "client" | "server" | "first" | "last" | (typeof CALLER_COUNTS)[number]
>;

/**
 * Returns sessions: the calls of one caller with one client, on all servers, without a pause of
 * {@link SESSION_GAP_MS}.
 */
export async function sessionsOf(
  db: ReadDatabase,
  run: RunQuery,
  filter: SessionFilter,
): Promise<SessionPage> {
  const { cells, from, isCut, uncounted } = await callerCells(db, run, filter, [
    ...(["slot", "caller", "client", "server"] as const),
  ]);
  const found = sessionsIn(cells, from).filter((session) => isWanted(session, filter));
  const { entries, next } = sortedPage(found, filter, {
    value: (session) => VALUES[filter.sort](session),
    key: ({ caller, client, first }) => JSON.stringify([caller, client, first]),
  });
  return {
    sessions: entries,
    total: found.length,
    gap_minutes: SESSION_GAP_MS / 60_000,
    counted_from: isCut && from !== undefined ? from.toISOString() : null,
    uncounted,
    next_cursor: next,
  };
}

const VALUES: Readonly<Record<SessionFilter["sort"], (session: Session) => number>> = {
  last: ({ last }) => Date.parse(last),
  calls: ({ calls }) => calls,
  blocked: ({ blocked }) => blocked,
  length: ({ first, last }) => Date.parse(last) - Date.parse(first),
};

type Counting = { -readonly [Name in keyof Session]: Session[Name] };

/** Returns the sessions in the cells. @param from the time from which calls were read */
export function sessionsIn(cells: readonly Cell[], from: Date | undefined): readonly Session[] {
  const byAgent = new Map<string, Cell[]>();
  for (const cell of cells) {
    const key = JSON.stringify([cell.caller, cell.client]);
    const own = byAgent.get(key);
    if (own === undefined) byAgent.set(key, [cell]);
    else own.push(cell);
  }
  const found: Counting[] = [];
  for (const own of byAgent.values()) {
    let current: Counting | undefined;
    for (const slot of slotsOf(own)) {
      const first = slot.reduce((least, cell) => (cell.first < least ? cell.first : least), "~");
      const isNew =
        current === undefined || Date.parse(first) - Date.parse(current.last) >= SESSION_GAP_MS;
      if (current === undefined || isNew) {
        current = emptySession(slot[0] as Cell, first, from);
        found.push(current);
      }
      for (const cell of slot) {
        if (cell.last > current.last) current.last = cell.last;
        for (const name of CALLER_COUNTS) current[name] += Number(cell[name]);
      }
      current.servers = serversOf(current.servers, slot);
    }
  }
  return found;
}

/** Returns the cells of one agent slot by slot, the oldest first. */
function slotsOf(cells: readonly Cell[]): readonly (readonly Cell[])[] {
  const slots = new Map<string, Cell[]>();
  for (const cell of cells.toSorted((a, b) => (a.slot < b.slot ? -1 : 1))) {
    const known = slots.get(cell.slot);
    if (known === undefined) slots.set(cell.slot, [cell]);
    else known.push(cell);
  }
  return [...slots.values()];
}

function emptySession(
  { caller, client }: Pick<Cell, "caller" | "client">,
  first: string,
  from: Date | undefined,
): Counting {
  return {
    caller: caller === "" ? null : caller,
    client: client === "" ? null : client,
    servers: [],
    first,
    last: first,
    // Earlier calls are unknown.
    may_begin_earlier: from !== undefined && Date.parse(first) - from.getTime() < SESSION_GAP_MS,
    ...(Object.fromEntries(CALLER_COUNTS.map((name) => [name, 0])) as Record<
      (typeof CALLER_COUNTS)[number],
      number
    >),
  };
}

function serversOf(known: readonly string[], cells: readonly Cell[]): readonly string[] {
  const all = new Set([...known, ...cells.flatMap(({ server }) => server || [])]);
  return all.size === known.length ? known : [...all].toSorted();
}

function isWanted(
  session: Session,
  { caller, client, server, text, since, until }: SessionFilter,
): boolean {
  if (caller !== undefined && session.caller !== caller) return false;
  if (client !== undefined && session.client !== client) return false;
  if (server !== undefined && !session.servers.includes(server)) return false;
  if (since !== undefined && session.last < since.toISOString()) return false;
  if (until !== undefined && session.first >= until.toISOString()) return false;
  return containsText([session.caller, session.client, ...session.servers], text);
}

/** Returns whether one of the names contains the text, in any case. */
export function containsText(names: readonly (string | null)[], text: string | undefined): boolean {
  if (text === undefined) return true;
  const wanted = text.toLowerCase();
  return names.some((name) => name?.toLowerCase().includes(wanted) === true);
}
