import type { Decimals } from "../json/exact.ts";
import { joinPointer } from "../json/pointer.ts";
import { type Dialect, metaschemaUri } from "./dialect.ts";
import { FaultError } from "./fault.ts";
import type { SchemaDecimals } from "./numbers.ts";
import { compilePattern } from "./pattern.ts";
import { type Holding, holdingOf, idKeyword, refHidesSiblings } from "./vocabulary.ts";

type Json = Record<string, unknown>;

/** A reference and the schema resource (2020-12 Core, section 4.3.5) in which it stands. */
export interface Reference {
  readonly ref: string;
  /** Pointer to the keyword. */
  readonly path: string;
  readonly resource: Json;
}

/** What a walk over a schema found. */
export interface Normalised {
  readonly references: readonly Reference[];
  /** Names of formats, each with the pointer to its first use. */
  readonly formats: ReadonlyMap<string, string>;
  /** The exact numbers of each schema's keywords, by the schema's object. */
  readonly decimals: WeakMap<object, ReadonlyMap<string, Decimals>>;
}

interface Visit {
  readonly node: unknown;
  readonly path: string;
  readonly resource: Json;
  /** Whether it is reached by keywords of the dialect only, so that it surely is a schema. */
  readonly known: boolean;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"];
const NAMES = ["$id", "id", "$anchor", "$dynamicAnchor"];
const PROTO = "__proto__";

/** Moves a member of that name to one that the engine does not overlook. */
function moveProto(from: Json, to: Json, pattern: string): void {
  let name = pattern;
  while (Object.hasOwn(to, name)) name = `(?:${name})`;
  to[name] = from[PROTO];
  delete from[PROTO];
}

/** Makes the rules for a property `__proto__`, which Ajv skips, rules for a pattern. */
function mendProto(node: Json): void {
  const { properties, patternProperties } = node;
  if (isObject(patternProperties) && Object.hasOwn(patternProperties, PROTO)) {
    moveProto(patternProperties, patternProperties, `(?:${PROTO})`);
  }
  if (!isObject(properties) || !Object.hasOwn(properties, PROTO)) return;
  const patterns = isObject(patternProperties) ? patternProperties : {};
  moveProto(properties, patterns, `^${PROTO}$`);
  node["patternProperties"] = patterns;
}

function checkPattern(pattern: string, path: string): void {
  try {
    compilePattern(pattern);
  } catch {
    const shown = pattern.length > 80 ? `${pattern.slice(0, 80)}…` : pattern;
    throw new FaultError(
      "invalid_pattern",
      `${JSON.stringify(shown)} at ${path} is not a regular expression (ECMA-262)`,
      path,
    );
  }
}

class Walk implements Normalised {
  readonly references: Reference[] = [];
  readonly formats: Map<string, string> = new Map();
  readonly decimals: WeakMap<object, ReadonlyMap<string, Decimals>> = new WeakMap();
  private readonly dialect: Dialect;
  private readonly exact: SchemaDecimals;
  private readonly pending: Visit[] = [];

  constructor(dialect: Dialect, exact: SchemaDecimals) {
    this.dialect = dialect;
    this.exact = exact;
  }

  run(root: Json, maxSubschemas: number): void {
    let count = 0;
    this.pending.push({ node: root, path: "", resource: root, known: true });
    for (let visit = this.pending.pop(); visit !== undefined; visit = this.pending.pop()) {
      if (Array.isArray(visit.node)) this.pushAll(visit.node, visit);
      count++;
      if (count > maxSubschemas) {
        throw new FaultError(
          "too_many_subschemas",
          `the schema has more than ${maxSubschemas} subschemas; split the tool or simplify it`,
        );
      }
      if (isObject(visit.node)) this.visit(visit.node, visit);
    }
  }

  private visit(node: Json, { path, resource, known }: Visit): void {
    const exact = this.exact.get(path);
    if (exact !== undefined) this.decimals.set(node, exact);
    const here = this.names(node, resource, path === "", known);
    // The pushes come before the move, so that they carry the author's pointers.
    for (const keyword of Object.keys(node)) {
      const value = node[keyword];
      const holding = holdingOf(keyword, this.dialect);
      if (holding === "dropped" && (known || !isObject(value))) delete node[keyword];
      else this.push(value, holding, joinPointer(path, keyword), here, known);
      if (known) this.note(keyword, value, joinPointer(path, keyword), here);
    }
    mendProto(node);
  }

  /** Drops names that do not name a schema; gives the resource that the schema belongs to. */
  private names(node: Json, resource: Json, isRoot: boolean, known: boolean): Json {
    const id = idKeyword(this.dialect);
    const hides = refHidesSiblings(this.dialect) && typeof node["$ref"] === "string";
    // Ajv ignores every keyword beside such a "$ref" but this one.
    if (known && hides) delete node["type"];
    // A root keeps its name: other references in the document are relative to it.
    if (!known || (hides && !isRoot)) {
      for (const name of NAMES) if (typeof node[name] === "string") delete node[name];
    }
    const name = node[id];
    return typeof name === "string" && !name.startsWith("#") ? node : resource;
  }

  private push(
    value: unknown,
    holding: Holding | undefined,
    path: string,
    resource: Json,
    known: boolean,
  ): void {
    if (typeof value !== "object" || value === null || holding === "data") return;
    const isSchema = known && holding !== undefined;
    const below = { path, resource, known: isSchema };
    if (Array.isArray(value) || holding === "map") this.pushAll(value, below);
    else this.pending.push({ node: value, ...below });
  }

  /** Visits the elements of an array or the members of an object, where they are containers. */
  private pushAll(value: object, { path, resource, known }: Omit<Visit, "node">): void {
    for (const [name, node] of Object.entries(value)) {
      if (typeof node !== "object" || node === null) continue;
      this.pending.push({ node, path: joinPointer(path, name), resource, known });
    }
  }

  private note(keyword: string, value: unknown, path: string, resource: Json): void {
    if (keyword === "patternProperties" && isObject(value)) {
      for (const name of Object.keys(value)) checkPattern(name, joinPointer(path, name));
    }
    if (typeof value !== "string") return;
    if (REFERENCES.includes(keyword)) this.references.push({ ref: value, path, resource });
    if (keyword === "pattern") checkPattern(value, path);
    if (keyword === "format" && !this.formats.has(value)) this.formats.set(value, path);
  }
}

/** Whether a pointer in a URI fragment leads to an object or a boolean, by own members only. */
function leadsSomewhere(fragment: string, root: Json): boolean {
  let tokens: string[];
  try {
    tokens = decodeURIComponent(fragment).split("/").slice(1);
  } catch {
    return false;
  }
  let node: unknown = root;
  for (const token of tokens) {
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, name)) return false;
    node = (node as Json)[name];
  }
  return isObject(node) || typeof node === "boolean";
}

/** Fails for a reference that leads nowhere. */
export function unresolved({ ref, path }: Pick<Reference, "ref" | "path">): FaultError {
  const shown = ref.length > 200 ? `${ref.slice(0, 200)}…` : ref;
  return new FaultError(
    "unresolved_reference",
    `the reference ${JSON.stringify(shown)} at ${path} leads to nothing inside the schema. ` +
      'References are never fetched: put the target under "$defs" and refer to it there',
    path,
  );
}

/** Whether one of the references is to the dialect's own metaschema. */
export function refersToMetaschema(references: readonly Reference[], dialect: Dialect): boolean {
  const uri = metaschemaUri(dialect);
  return references.some(({ ref }) => ref === uri || ref.startsWith(`${uri}#`));
}

/**
 * Prepares a schema for the engine, in place: takes out what the engine would act on although the
 * dialect does not know it, and rewrites rules for a property `__proto__`. Property names, `const`,
 * `enum` and defaults stay as they are; unknown keywords are kept, since a `$ref` may point into
 * them. Walks without recursion.
 * @param schema a tree of plain JSON values that nobody else uses.
 * @throws FaultError `too_many_subschemas`, `invalid_pattern` or `unresolved_reference`.
 */
export function normalise(
  schema: Json,
  dialect: Dialect,
  exact: SchemaDecimals,
  maxSubschemas: number,
): Normalised {
  const walk = new Walk(dialect, exact);
  walk.run(schema, maxSubschemas);
  for (const reference of walk.references) {
    const { ref, resource } = reference;
    if (ref.startsWith("#/") && !leadsSomewhere(ref.slice(1), resource))
      throw unresolved(reference);
  }
  return walk;
}
