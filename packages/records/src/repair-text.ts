import { REPAIR_KINDS, type RepairKind } from "@touchstone/core/advanced";

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

/** A path may contain any text, so only a kind of repair marks the start of the next repair. */
const NEXT = new RegExp(`; (?=(?:${REPAIR_KINDS.join("|")}) at (?:/|${ROOT}))`);

/** Returns the repairs that a record names, except one that was cut at the record's limit. */
export function repairsIn(text: string): readonly Repair[] {
  return text.split(NEXT).flatMap((part): Repair[] => {
    const [word, place] = part.split(/ at (.*)/s);
    const kind = REPAIR_KINDS.find((one) => one === word);
    if (kind === undefined || place === undefined || place.endsWith("…")) return [];
    return [{ kind, path: place === ROOT ? "" : place }];
  });
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

/** Returns, for each kind of repair that occurs, what the author of the server or of the prompt can change. */
export function repairHints(
  repairs: readonly Pick<Repair, "kind">[],
): Readonly<Partial<Record<RepairKind, string>>> {
  const kinds = new Set(repairs.map(({ kind }) => kind));
  return Object.fromEntries(
    REPAIR_KINDS.flatMap((kind) => (kinds.has(kind) ? [[kind, HINTS[kind]]] : [])),
  );
}
