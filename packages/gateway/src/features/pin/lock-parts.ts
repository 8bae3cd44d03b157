import { readFileSync } from "node:fs";
import {
  type LockedDefinition,
  type LockedServer,
  lockFaultText,
  readLock,
} from "@touchstone/protocol/lock";

/** The lists of definitions of a locked server. */
const LISTS = ["tools", "prompts", "resourceTemplates"] as const;
type List = (typeof LISTS)[number];

/** How many definitions, and how many characters of them, to send at a time. */
const STEP_ITEMS = 200;
const STEP_CHARACTERS = 1_000_000;

/** A part of what a lock file has of one server, in the order in which they are joined. */
export type LockPart =
  | { readonly fault: string }
  /** All but the lists; undefined if the file does not have the server. */
  | { readonly server: Omit<LockedServer, List> | undefined; readonly lists: readonly List[] }
  | { readonly list: List; readonly items: readonly (readonly [string, LockedDefinition])[] }
  | { readonly isDone: true };

/** Reads a lock file, and returns in parts what it has of a server, or what is wrong with it. */
export function* lockParts(path: string, name: string): Generator<LockPart, void, void> {
  const read = readLock(readFileSync(path));
  if (!read.ok) {
    const [fault] = read.faults;
    yield { fault: fault ? lockFaultText(path, fault) : `${path} is not a lock file` };
    return;
  }
  const found = read.lock.servers.get(name);
  const lists = LISTS.filter((list) => found?.[list] !== undefined);
  const { tools: _, prompts: __, resourceTemplates: ___, ...server } = found ?? {};
  yield { server: found && server, lists };
  for (const list of lists) yield* itemParts(list, found?.[list] ?? new Map());
  yield { isDone: true };
}

function* itemParts(
  list: List,
  all: ReadonlyMap<string, LockedDefinition>,
): Generator<LockPart, void, void> {
  let items: [string, LockedDefinition][] = [];
  let characters = 0;
  for (const [name, definition] of all) {
    items.push([name, definition]);
    characters += name.length + definition.text.length;
    if (items.length < STEP_ITEMS && characters < STEP_CHARACTERS) continue;
    yield { list, items };
    items = [];
    characters = 0;
  }
  if (items.length > 0) yield { list, items };
}

/** Joins the parts of {@link lockParts}. */
export class LockJoiner {
  #server: Omit<LockedServer, List> | undefined;
  readonly #lists: Map<List, Map<string, LockedDefinition>> = new Map();

  /**
   * Takes a part.
   * @returns whether it was the last one
   * @throws Error with what is wrong with the file
   */
  take(part: LockPart): boolean {
    if ("fault" in part) throw new Error(part.fault);
    if ("isDone" in part) return true;
    if ("items" in part) {
      for (const [name, definition] of part.items)
        this.#lists.get(part.list)?.set(name, definition);
      return false;
    }
    this.#server = part.server;
    for (const list of part.lists) this.#lists.set(list, new Map());
    return false;
  }

  /** What the file has of the server; undefined if nothing. */
  get server(): LockedServer | undefined {
    if (this.#server === undefined) return undefined;
    return {
      ...this.#server,
      tools: this.#lists.get("tools") ?? new Map(),
      prompts: this.#lists.get("prompts"),
      resourceTemplates: this.#lists.get("resourceTemplates"),
    };
  }
}
