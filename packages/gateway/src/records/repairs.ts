import { REPAIR_KINDS, type RepairKind } from "@touchstone/core";
import type { RepairCount } from "./api/schemas.ts";

/** One repair of a call, as its record names it. */
interface Repair {
  readonly kind: RepairKind;
  readonly path: string;
}

const ROOT = "the root";

/** Returns a record's text for repairs: `coerce-scalars at /n; drop-nulls at /text`. */
export function repairsText(repairs: readonly Repair[]): string {
  return repairs.map(({ kind, path }) => `${kind} at ${path === "" ? ROOT : path}`).join("; ");
}

/** A name in a path may contain anything else: only a kind begins the next repair. */
const NEXT = new RegExp(`; (?=(?:${REPAIR_KINDS.join("|")}) at (?:/|${ROOT}))`);

/** Returns the repairs that a record names, without one that was cut at the record's bound. */
export function repairsIn(text: string): readonly Repair[] {
  return text.split(NEXT).flatMap((part): Repair[] => {
    const [word, place] = part.split(/ at (.*)/s);
    const kind = REPAIR_KINDS.find((one) => one === word);
    if (kind === undefined || place === undefined || place.endsWith("…")) return [];
    return [{ kind, path: place === ROOT ? "" : place }];
  });
}

/** Calls of one tool with the same repairs. */
export interface RepairGroup {
  readonly server: string | null;
  readonly tool: string | null;
  readonly repairs: string;
  readonly calls: number;
}

/**
 * Counts repairs by tool, kind and place. A call with several at one place, such as in the items of an array, counts
 * once.
 */
export function countRepairs(rows: readonly RepairGroup[]): readonly RepairCount[] {
  const found = new Map<string, RepairCount>();
  for (const { server, tool, repairs, calls } of rows) {
    const places = repairsIn(repairs).map(({ kind, path }) =>
      JSON.stringify([server, tool, kind, path.replaceAll(/\/\d+(?=\/|$)/g, "/*")]),
    );
    for (const place of new Set(places)) {
      const [, , kind, path] = JSON.parse(place) as [unknown, unknown, RepairKind, string];
      const known = found.get(place)?.calls ?? 0;
      found.set(place, { server, tool, kind, path, calls: known + calls });
    }
  }
  const name = ({ server, tool, kind, path }: RepairCount): string =>
    [server, tool, kind, path].join("\n");
  return [...found.values()].sort((a, b) => b.calls - a.calls || (name(a) < name(b) ? -1 : 1));
}

const HINTS: Readonly<Record<RepairKind, string>> = {
  "parse-json-strings":
    "Models send the JSON text of a list or object. Show an example of the value in the property's description, or tell the model to send JSON values, not JSON in strings.",
  "coerce-scalars":
    "Models send a value as text, or text as a value. Name the type in the property's description, or accept both types in the schema.",
  "drop-nulls":
    "Models send null for what they leave out. Accept null in the schema, or say in the description that the property may be absent.",
  "fill-defaults": "Models leave out what has a default. Take the property out of required.",
  "rename-properties":
    "Models expect another name. Give the property the name that they use, or name it in the tool's description.",
  "match-enum-case":
    "Models write an allowed value in another case. List the values in the property's description as the schema writes them.",
};

/** Returns, for each kind of repair that occurs, what the server's author or the prompt can change. */
export function hintsFor(
  repairs: readonly Pick<RepairCount, "kind">[],
): Readonly<Partial<Record<RepairKind, string>>> {
  const kinds = new Set(repairs.map(({ kind }) => kind));
  return Object.fromEntries(
    REPAIR_KINDS.flatMap((kind) => (kinds.has(kind) ? [[kind, HINTS[kind]]] : [])),
  );
}
