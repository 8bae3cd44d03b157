import {
  decodeUtf8,
  foldText,
  fragmentTokens,
  type Issue,
  isObject,
  type JsonObject,
  type JsonRange,
  joinPointer,
  MAX_FOLDED,
  skipLongQuoted,
  skipLongValue,
  skipSpace,
  tooLongToFold,
  valueAt,
} from "@touchstone/core/advanced";

/** How deep to look, how many members to look at, and how many names to compare, per call. */
const MAX_DEPTH = 128;
const MAX_MEMBERS = 20_000;
const MAX_NAMES = 10_000;
/** How many members to look at in one step. */
const STEP_MEMBERS = 64;
/** How many characters of names to compare, per call. */
const MAX_CHARACTERS = 1_048_576;
/**
 * How many characters to compare in names that are not ASCII, before and after folding: some take a hundred times as
 * long.
 */
const MAX_BEYOND_ASCII = 50_000;
/** No name of `MAX_FOLDED` characters has more bytes: an escaped character has six. */
const MAX_NAME_BYTES = 6 * MAX_FOLDED + 2;
/** Inner values are read once more on each level; this bounds how many bytes are read in all. */
const LEAST_BYTES = 1_048_576;
const MAX_READS = 8;
/** How many levels of one schema to keep; others are made again. */
const MAX_LEVELS = 1_000;

/** Keywords with one schema, and with a list of schemas, for the same value. */
const SAME = ["not", "if", "then", "else"] as const;
const SAME_LISTS = ["allOf", "anyOf", "oneOf"] as const;
/** Keywords with a schema for each item of an array. */
const ITEMS = ["items", "contains", "unevaluatedItems"] as const;

/** What a schema says about the names in one value. */
class Level {
  readonly #levels: Levels;
  readonly #schemas: readonly JsonObject[];
  readonly #below: Map<string, Level | undefined> = new Map();
  #others: { readonly level: Level | undefined } | undefined;
  #items: { readonly level: Level | undefined } | undefined;
  readonly names: ReadonlySet<string>;
  readonly #read: ReadonlyMap<string, string>;

  constructor(levels: Levels, schemas: readonly JsonObject[]) {
    this.#levels = levels;
    this.#schemas = schemas;
    this.names = new Set(schemas.flatMap(namesIn));
    this.#read = new Map([...this.names].map((name) => [asRead(name) ?? name, name]));
  }

  /** Returns the name that is nearly the given one; undefined if there is none. Takes the given name in folded form. */
  near(loose: string): string | undefined {
    return this.#read.get(loose);
  }

  /** Returns the level of a member. */
  member(name: string): Level | undefined {
    if (!this.names.has(name)) {
      this.#others ??= { level: this.#of(schemasOf, name) };
      return this.#others.level;
    }
    if (!this.#below.has(name)) this.#below.set(name, this.#of(schemasOf, name));
    return this.#below.get(name);
  }

  /** The level of each item of an array. */
  get items(): Level | undefined {
    this.#items ??= { level: this.#of(itemSchemas, "") };
    return this.#items.level;
  }

  #of(
    below: (schema: JsonObject, name: string) => readonly unknown[],
    name: string,
  ): Level | undefined {
    return this.#levels.of(this.#schemas.flatMap((schema) => below(schema, name)));
  }
}

/** The levels of one schema. Equal schemas at several places make one level. */
class Levels {
  readonly #root: object;
  readonly #ids: Map<JsonObject, number> = new Map();
  readonly #known: Map<string, Level> = new Map();

  constructor(root: object) {
    this.#root = root;
  }

  of(schemas: readonly unknown[]): Level | undefined {
    const all = sameSchemas(this.#root, schemas);
    if (all.length === 0) return undefined;
    const key = all
      .map((schema) => this.#idOf(schema))
      .sort((a, b) => a - b)
      .join(" ");
    const known = this.#known.get(key) ?? new Level(this, all);
    if (this.#known.size < MAX_LEVELS) this.#known.set(key, known);
    return known;
  }

  #idOf(schema: JsonObject): number {
    const id = this.#ids.get(schema) ?? this.#ids.size;
    this.#ids.set(schema, id);
    return id;
  }
}

const known: WeakMap<object, { readonly root: Level | undefined }> = new WeakMap();

function levelOf(schema: object): Level | undefined {
  const made = known.get(schema) ?? { root: new Levels(schema).of([schema]) };
  known.set(schema, made);
  return made.root;
}

/** A value in the arguments, and where it is: the names are joined only for an issue. */
interface ArgumentValue {
  readonly range: JsonRange;
  readonly level: Level;
  readonly above: ArgumentValue | undefined;
  readonly token: string;
  readonly depth: number;
}

/**
 * Finds an argument whose name is nearly one that the schema of `narrow` has at the same place, such as `Path`
 * instead of `path`, or `file_path` instead of `filePath`. Servers that ignore case (Go's `encoding/json` does) or
 * underscores read both names as the same, and `narrow` would not have checked the argument. Works in steps.
 * @param schema in canonical form (`CompiledSchema.canonical`): all references lead to its own `$defs`
 * @param text a JSON text that contains the arguments
 * @param range of the arguments in it
 * @returns undefined if there is none
 */
export function* similarArgumentSteps(
  schema: object,
  text: Uint8Array,
  range: JsonRange = { start: 0, end: text.length },
): Generator<void, Issue | undefined, void> {
  const root = levelOf(schema);
  if (root === undefined) return undefined;
  const places: ArgumentValue[] = [{ range, level: root, above: undefined, token: "", depth: 0 }];
  const seen: Map<Level, Set<string>> = new Map();
  let [members, names, bytes, characters, beyondAscii] = [0, 0, 0, 0, 0];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { range, level, depth } = place;
    bytes += range.end - range.start;
    const isMuch = bytes > Math.max(MAX_READS * text.length, LEAST_BYTES) || depth > MAX_DEPTH;
    if (isMuch) return issue(place, TOO_MUCH);
    const isArray = text[range.start] === OPEN_ARRAY;
    const below = isArray ? level.items : undefined;
    if (isArray && below === undefined) continue;
    let at = 0;
    for (const { start, value, end } of partsOf(text, range, isArray)) {
      members += 1;
      if (members % STEP_MEMBERS === 0) yield;
      if (members > MAX_MEMBERS || names > MAX_NAMES) return issue(place, TOO_MUCH);
      const range = { start: value, end };
      if (below !== undefined) {
        const token = String(at);
        if (isContainer(text, value)) {
          places.push({ range, level: below, above: place, token, depth: depth + 1 });
        }
        at += 1;
        continue;
      }
      const read = nameIn(text, start);
      if (read === undefined && level.names.size > 0) return issue(place, LONG_NAME);
      const name = read ?? UNREAD;
      if (level.names.size > 0 && !level.names.has(name)) {
        const compared = seen.get(level) ?? new Set();
        seen.set(level, compared);
        if (!compared.has(name)) {
          compared.add(name);
          names += 1;
          characters += name.length;
          if (characters > MAX_CHARACTERS) return issue(place, TOO_MUCH);
          const loose = asRead(name);
          if (BEYOND_ASCII.test(name)) beyondAscii += name.length + (loose?.length ?? 0);
          if (beyondAscii > MAX_BEYOND_ASCII) return issue(place, TOO_MUCH);
          if (loose === undefined) {
            return issue(place, `must have shorter names: one ${tooLongToFold(name)}`);
          }
          const near = level.near(loose);
          if (near !== undefined) {
            const message = `must be removed or renamed to "${near}": some servers treat them as the same`;
            return issue({ above: place, token: name }, message);
          }
        }
      }
      const inner = isContainer(text, value) ? level.member(name) : undefined;
      if (inner === undefined) continue;
      places.push({ range, level: inner, above: place, token: name, depth: depth + 1 });
    }
  }
  return undefined;
}

const TOO_MUCH = "must have fewer parts: their names cannot be compared with those of the policy";
const LONG_NAME = `must have shorter names: names of more than ${MAX_FOLDED} characters cannot be compared with others`;
/** A placeholder in paths for a name that was not read. */
const UNREAD = "…";
const BEYOND_ASCII = /[^\0-\u007f]/;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

const isContainer = (text: Uint8Array, at: number): boolean =>
  text[at] === OPEN_OBJECT || text[at] === OPEN_ARRAY;

/** Returns where each member of an object, or item of an array, begins, and where its value is. */
function* partsOf(
  text: Uint8Array,
  range: JsonRange,
  isArray: boolean,
): Generator<JsonRange & { readonly value: number }, void> {
  const { end: last } = range;
  let start = skipSpace(text, range.start + 1, last);
  while (start < last - 1) {
    const value = isArray
      ? start
      : skipSpace(text, skipSpace(text, skipLongQuoted(text, start), last) + 1, last);
    const end = skipLongValue(text, value);
    yield { start, value, end };
    const next = skipSpace(text, end, last);
    if (text[next] !== COMMA) return;
    start = skipSpace(text, next + 1, last);
  }
}

/** Returns the name that begins here; undefined if it is too long to be compared. */
function nameIn(text: Uint8Array, start: number): string | undefined {
  const end = skipLongQuoted(text, start);
  if (end - start > MAX_NAME_BYTES) return undefined;
  let isPlain = true;
  for (let i = start; i < end && isPlain; i++) {
    const byte = text[i] as number;
    isPlain = byte < 0x80 && byte !== BACKSLASH;
  }
  // This is many times faster than decoding.
  if (isPlain)
    return Buffer.from(text.buffer, text.byteOffset + start + 1, end - start - 2).toString(
      "latin1",
    );
  const written = decodeUtf8(text.subarray(start, end));
  return written.includes("\\") ? String(JSON.parse(written)) : written.slice(1, -1);
}

function issue(place: Pick<ArgumentValue, "above" | "token">, message: string): Issue {
  const tokens: string[] = [];
  let at: Pick<ArgumentValue, "above" | "token"> | undefined = place;
  for (; at?.above !== undefined; at = at.above) tokens.push(at.token);
  const path = tokens.reverse().reduce((above, token) => joinPointer(above, token), "");
  return { path, message, rule: "policy", keyword: "narrow" };
}

/** Returns a name as servers may read it. Python models may also read a name with underscores as the one without. */
const asRead = (name: string): string | undefined => foldText(name, "name")?.replaceAll("_", "");

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const own = (schema: JsonObject, keyword: string): unknown =>
  Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;

/** Returns schemas and those in them that apply to the same value, each once. */
function sameSchemas(root: unknown, schemas: readonly unknown[]): readonly JsonObject[] {
  const found = new Set<JsonObject>();
  const open = [...schemas];
  while (open.length > 0) {
    const schema = open.pop();
    if (!isObject(schema) || found.has(schema)) continue;
    found.add(schema);
    open.push(...SAME.map((keyword) => own(schema, keyword)));
    open.push(...SAME_LISTS.flatMap((keyword) => listOf(own(schema, keyword))));
    const dependent = own(schema, "dependentSchemas");
    if (isObject(dependent)) open.push(...Object.values(dependent));
    open.push(referred(root, own(schema, "$ref")));
  }
  return [...found];
}

/** Returns the schema that a reference inside the same schema names. */
function referred(root: unknown, reference: unknown): unknown {
  if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
  return valueAt(root, fragmentTokens(reference) ?? [])?.value;
}

/** Returns the names of members that a schema constrains. */
function namesIn(schema: JsonObject): readonly string[] {
  const properties = own(schema, "properties");
  const required = listOf(own(schema, "required")).filter((name) => typeof name === "string");
  const dependent = ["dependentSchemas", "dependentRequired"].flatMap((keyword) => {
    const value = own(schema, keyword);
    return isObject(value) ? Object.keys(value) : [];
  });
  return [...(isObject(properties) ? Object.keys(properties) : []), ...required, ...dependent];
}

/** Returns the schemas for the items of an array. */
function itemSchemas(schema: JsonObject): readonly unknown[] {
  const all = ITEMS.flatMap((keyword) => own(schema, keyword) ?? []);
  return [...all.flat(), ...listOf(own(schema, "prefixItems"))];
}

/** Returns the schemas for a member. It includes schemas for other members: more schemas never find fewer names. */
function schemasOf(schema: JsonObject, key: string): readonly unknown[] {
  const properties = own(schema, "properties");
  const patterns = own(schema, "patternProperties");
  return [
    ...(isObject(properties) ? [own(properties, key)] : []),
    ...(isObject(patterns) ? Object.values(patterns) : []),
    ...["additionalProperties", "unevaluatedProperties"].map((keyword) => own(schema, keyword)),
  ].filter((found) => isObject(found));
}
