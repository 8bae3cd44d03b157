import { editDistance } from "@touchstone/core/advanced";
import { CHECK_SECTIONS } from "../settings/schema.ts";
import { FILE_SCHEMA, type SchemaPart, SERVER_SCHEMA, schemaPartAt } from "../settings/sections.ts";
import { foldedKey } from "./closest.ts";
import { isJsonObject, type JsonValue, type Path } from "./document.ts";
import { ENTRY_KEYS } from "./entry-keys.ts";
import { quote } from "./faults.ts";

/** Where a key may be: the objects that hold it, each as a list of keys. */
type Homes = ReadonlyMap<string, readonly Path[]>;

/** By key: its homes at the top of the file. */
const OF_FILE: Homes = homesIn(FILE_SCHEMA, ["$schema", "mcpServers"]);
/** For each key, the sections under `touchstone` in an entry that take it. */
const OF_SERVER: Homes = homesIn(SERVER_SCHEMA.properties?.["touchstone"], []);
const OWN: ReadonlySet<string> = new Set([...OF_FILE.keys(), ...OF_SERVER.keys()]);
/** How a class of issues may count. */
const TREATMENTS = schemaPartAt(["input_validation", "rules", "type"])?.enum ?? [];

/**
 * Keys that both we and clients use, with a test whether a value is ours: `tools` lists names in GitHub Copilot's
 * files, `auth` holds OAuth settings in Cursor's, `required` is a boolean in Codex's, `format` and the others are
 * common words.
 */
const SHARED: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  tools: () => false,
  auth: (value) => isJsonObject(value) && Object.hasOwn(value, "api_key"),
  required: isTreatment,
  extra: isTreatment,
  value: isTreatment,
  format: isTreatment,
  guard: isTreatment,
};

/** Names of ours that are close to a client's own, such as `allowed_tools` and `description`. */
const NEARLY_SHARED: ReadonlySet<string> = new Set(["allow_tools", "descriptions"]);
/** Shorter names are too likely a client's own to count as typing errors. */
const LEAST_TYPED = 10;
const MAX_TYPED = 64;

/** A key of ours where it has no effect. */
export interface MisplacedKey {
  /** From the entry to the key. */
  readonly path: Path;
  readonly message: string;
}

/**
 * Finds a key of ours in a client's member of an entry: the member itself, or a section of checks anywhere inside it.
 * Nothing would read it, so a requested check would not be made.
 */
export function findMisplacedKey(key: string, value: JsonValue): MisplacedKey | undefined {
  const meant = key === "touchstone" ? undefined : ownName(key);
  if (meant !== undefined && (!Object.hasOwn(SHARED, meant) || SHARED[meant]?.(value) === true)) {
    const named = meant === key ? quote(key) : `${quote(key)} looks like ${quote(meant)}, which`;
    const renamed = meant === key ? "" : ` under the name ${quote(meant)}`;
    const place =
      meant === "touchstone" ? "rename it" : `move it${renamed} ${homeOf(meant, "entry")}`;
    return {
      path: [key],
      message: `${named} is a key of Touchstone and is not read here; ${place}`,
    };
  }
  const inside = sectionIn(value, [key]);
  if (inside === undefined) return undefined;
  const section = String(inside.at(-1));
  const message = `${quote(section)} is a key of Touchstone and is not read here; move it ${homeOf(section, "entry")}`;
  return { path: inside, message };
}

/**
 * Returns the end of a sentence about an unknown key in a closed object: ` — move it …` if the key belongs elsewhere;
 * else nothing.
 *
 * @param path of the object, in `touchstone.json`
 */
export function misplacedKeyHint(path: Path, key: string): string {
  const isInEntry = path[0] === "mcpServers" && path.length > 2;
  if (ENTRY_KEYS.includes(key) && key !== "type") {
    if (isInEntry) return ' — move it into the entry itself, beside "touchstone"';
    return key === "touchstone"
      ? ' — its keys go to the top of touchstone.json, or under it into an entry of "mcpServers"'
      : ' — move it into an entry of "mcpServers"';
  }
  if (!OWN.has(key)) return "";
  return ` — move it ${homeOf(key, isInEntry ? "touchstone" : "file")}`;
}

/** Where a key of ours belongs: within the entry if it can be there, else in the file. */
function homeOf(key: string, from: "entry" | "touchstone" | "file"): string {
  const server = OF_SERVER.get(key);
  const file = OF_FILE.get(key);
  const homes = (from === "file" ? file : server) ?? file ?? server ?? [];
  const inServer = from === "file" ? file === undefined : server !== undefined;
  const top = inServer
    ? 'under "touchstone" in the server\'s entry'
    : "to the top of touchstone.json";
  const base = inServer && from === "entry" ? 'under "touchstone"' : top;
  const inner = homes.filter((home) => home.length > 0);
  if (inner.length < homes.length || inner.length === 0) return base;
  const names = inner.map((home) => quote(home.join(".")));
  const last = names.pop();
  const list = names.length === 0 ? last : `${names.join(", ")} or ${last}`;
  return inServer ? `into ${list} ${base}` : `into ${list} at the top of touchstone.json`;
}

/** Returns our key that a name stands for, ignoring case and separators, or with one or two wrong letters. */
function ownName(key: string): string | undefined {
  if (OWN.has(key)) return key;
  if (key.length > MAX_TYPED) return undefined;
  const names = [...OWN, "touchstone"];
  const same = names.find((name) => foldedKey(name) === foldedKey(key));
  if (same !== undefined) return same;
  const long = names.filter((name) => name.length >= LEAST_TYPED && !NEARLY_SHARED.has(name));
  return long.find((name) => editDistance(name, key.toLowerCase()) <= 2);
}

/** Returns the path of the first section of checks in a client's value. */
function sectionIn(value: JsonValue, path: Path): Path | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const isList = Array.isArray(value);
  for (const [key, inside] of Object.entries(value)) {
    const at = [...path, isList ? Number(key) : key];
    if (!isList && CHECK_SECTIONS.some((name) => name === key)) return at;
    const found = sectionIn(inside, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isTreatment(value: JsonValue): boolean {
  return typeof value === "string" && TREATMENTS.some((known) => known === value.toLowerCase());
}

function homesIn(schema: SchemaPart | undefined, without: readonly string[]): Homes {
  const homes = new Map<string, Path[]>();
  const visit = ({ properties = {} }: SchemaPart, path: Path): void => {
    for (const [key, below] of Object.entries(properties)) {
      if (path.length === 0 && without.includes(key)) continue;
      // `tools` more often means settings of tools than the limit or a caller's list of that name.
      if (key === "tools" && ["limits", "auth"].includes(String(path[0]))) continue;
      homes.set(key, [...(homes.get(key) ?? []), path]);
      visit(below, [...path, key]);
    }
  };
  visit(schema ?? {}, []);
  homes.delete("type");
  return homes;
}

/** Returns what editors show for our keys in an entry, and for all other keys. */
export function misplacedKeysForEditors(): {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly additionalProperties: object;
  readonly $defs: Readonly<Record<string, unknown>>;
} {
  const client = { $ref: "#/$defs/client" };
  const refused = (key: string) => ({ not: {}, description: `Move it ${homeOf(key, "entry")}` });
  const shared: Readonly<Record<string, unknown>> = {
    tools: client,
    auth: { ...client, properties: { api_key: refused("api_key") } },
  };
  const properties = [...OWN].map((key) => [
    key,
    Object.hasOwn(SHARED, key) ? (shared[key] ?? { not: { enum: TREATMENTS } }) : refused(key),
  ]);
  const sections = CHECK_SECTIONS.map((key) => [key, refused(key)]);
  const value = {
    properties: Object.fromEntries(sections),
    additionalProperties: client,
    items: client,
  };
  return {
    properties: Object.fromEntries(properties),
    additionalProperties: client,
    $defs: { client: value },
  };
}
