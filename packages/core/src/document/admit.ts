import { decimalsOf, type ExactDecimals, NO_DECIMALS } from "../json/exact.ts";
import { buildExactTree, decimalsAt } from "../json/exact-tree.ts";
import { joinPointer } from "../json/pointer.ts";
import { scanJson } from "../json/scan.ts";
import { decodeUtf8 } from "../json/text.ts";
import { type OwnDialect, POLICY } from "../keywords/dialect.ts";
import type { AdmittedDocument } from "./admitted.ts";
import { embeddedVocabulary, type FindMetaschema, vocabularyAt } from "./dialects.ts";
import { type SchemaError, SchemaFaultError, type SchemaLimits } from "./fault.ts";
import { isJson, type Json, setOwnMember } from "./json.ts";
import { checkMetaschema } from "./metaschema.ts";
import { schemaTooDeep, schemaTooLarge } from "./source.ts";
import {
  isPolicy,
  type Subschema,
  subschemas,
  subschemaTokens,
  type Vocabulary,
  vocabularyOf,
} from "./vocabulary.ts";

/** The keyword that names a dialect (2020-12 Core, section 8.1.1). */
const NAME = "$schema";

/** Returns a JSON text, parsed under the limits for schemas. @throws SchemaFaultError */
export function parseSchema(
  bytes: Uint8Array,
  limits: SchemaLimits,
): { readonly value: unknown; readonly decimals: ExactDecimals; readonly text: string } {
  if (bytes.length > limits.maxBytes) {
    throw new SchemaFaultError(schemaTooLarge(`${bytes.length}`, limits.maxBytes));
  }
  const scan = scanJson(bytes, { numbers: true, maxDepth: limits.maxDepth });
  if (scan.error?.code === "depth") throw new SchemaFaultError(schemaTooDeep(limits.maxDepth));
  if (scan.error !== undefined) {
    throw new SchemaFaultError("invalid_json", `the schema is not JSON: ${scan.error.message}`);
  }
  if (scan.lossyNumbersTruncated) {
    throw new SchemaFaultError(
      "uncompilable",
      `the schema has more than ${scan.lossyNumbers.length} numbers that an IEEE 754 double cannot hold`,
    );
  }
  const text = decodeUtf8(bytes);
  return { value: JSON.parse(text), decimals: decimalsOf(scan.lossyNumbers), text };
}

/** The places, below a pointer, that a part's fault names. */
function below(pointer: string, fault: SchemaError): SchemaError {
  const { code, message, path, details } = fault;
  const moved = { code, message, path: `${pointer}${path}` };
  if (details === undefined) return moved;
  return { ...moved, details: details.map((detail) => below(pointer, detail)) };
}

function metaschemaFault(
  schema: Json | boolean,
  vocabulary: Vocabulary,
  decimals: ExactDecimals,
): SchemaError | undefined {
  const { dialect, names } = vocabulary;
  if (isPolicy(vocabulary)) return checkMetaschema(schema, POLICY, decimals);
  // A keyword of a vocabulary that the dialect lacks may contain anything.
  return names === undefined ? checkMetaschema(schema, dialect, decimals) : undefined;
}

/** Returns whether schemas below the root may name dialects, judged by their text, which may be escaped. */
function mayEmbedDialects(text: string, isNamedByRoot: boolean): boolean {
  if (text.includes("\\u00")) return true;
  const first = text.indexOf(NAME);
  return first >= 0 && (!isNamedByRoot || text.includes(NAME, first + 1));
}

/** Checks a document, and separately each resource in it that names its own dialect. */
function check(
  schema: Json | boolean,
  vocabulary: Vocabulary,
  decimals: ExactDecimals,
  foreign: readonly Foreign[],
): void {
  const tree = buildExactTree(decimals);
  const put = ({ container, name }: Foreign, value: unknown): void =>
    setOwnMember(container as Json, name, value);
  // Removed while the schema around them is checked; `{}` is a schema in every dialect.
  for (const found of foreign) put(found, {});
  try {
    const fault = metaschemaFault(schema, vocabulary, decimals);
    if (fault !== undefined) throw new SchemaFaultError(fault);
    for (const found of foreign) {
      const inner = metaschemaFault(found.schema, found.vocabulary, decimalsAt(tree, found.path));
      if (inner !== undefined) throw new SchemaFaultError(below(found.path, inner));
    }
  } finally {
    for (const found of foreign) put(found, found.schema);
  }
}

/**
 * Checks a schema's text: limits, dialect, metaschema. The text `null` is the schema `true`.
 * @param fallback the dialect of a document without `$schema`.
 * @param isTrusted whether to skip the metaschema.
 * @throws SchemaFaultError saying why it is refused.
 */
export function admitDocument(
  bytes: Uint8Array,
  fallback: OwnDialect,
  limits: SchemaLimits,
  find: FindMetaschema,
  isTrusted: boolean = false,
): AdmittedDocument {
  const { value, decimals, text } = parseSchema(bytes, limits);
  const plain = { vocabulary: vocabularyOf(fallback), decimals: NO_DECIMALS };
  if (value === null) return { ...plain, schema: true };
  if (typeof value === "boolean") {
    const fault = checkMetaschema(value, fallback, NO_DECIMALS);
    if (fault !== undefined) throw new SchemaFaultError(fault);
    return { ...plain, schema: value };
  }
  if (!isJson(value)) {
    const kind = Array.isArray(value) ? "an array" : `a ${typeof value}`;
    throw new SchemaFaultError(
      "not_a_schema",
      `${kind} is not a schema; use an object or a boolean`,
    );
  }
  // A "$schema" that is not a string is left for the metaschema to refuse.
  const isNamed = Object.hasOwn(value, NAME);
  const uri = isNamed ? value[NAME] : undefined;
  const path = joinPointer("", NAME);
  const vocabulary =
    typeof uri === "string" && fallback !== POLICY
      ? vocabularyAt(uri, path, find)
      : vocabularyOf(fallback);
  if (!isTrusted) {
    const mixed = mayEmbedDialects(text, isNamed);
    check(value, vocabulary, decimals, mixed ? foreignResources(value, vocabulary, find) : []);
  }
  return { schema: value, vocabulary, decimals };
}

/** An embedded resource that names its own dialect, and its container. */
interface Foreign {
  readonly container: object;
  readonly name: string;
  readonly schema: Json;
  readonly vocabulary: Vocabulary;
  /** RFC 6901 pointer from the document's root. */
  readonly path: string;
}

/** A schema that was visited, and how it was reached. */
interface Step {
  readonly schema: Json;
  readonly vocabulary: Vocabulary;
  readonly way: { readonly from: Step; readonly child: Subschema } | undefined;
}

function pathOf(step: Step): string {
  const tokens: string[] = [];
  for (let { way } = step; way !== undefined; { way } = way.from) {
    tokens.push(...subschemaTokens(way.from.schema, way.child).toReversed());
  }
  return tokens.toReversed().reduce(joinPointer, "");
}

/** Finds the resources in a document that name another dialect than their surroundings. */
function foreignResources(
  root: Json | boolean,
  vocabulary: Vocabulary,
  find: FindMetaschema,
): readonly Foreign[] {
  if (!isJson(root)) return [];
  const found: Foreign[] = [];
  const pending: Step[] = [{ schema: root, vocabulary, way: undefined }];
  for (let from = pending.pop(); from !== undefined; from = pending.pop()) {
    const around = from.vocabulary;
    for (const child of subschemas(from.schema, around)) {
      const { value: schema } = child;
      if (!isJson(schema)) continue;
      const here: Step = { schema, vocabulary: around, way: { from, child } };
      const own = embeddedVocabulary(schema, around, () => pathOf(here), find);
      pending.push(own === around ? here : { ...here, vocabulary: own });
      if (own === around) continue;
      const { container, name } = child;
      found.push({ container, name, schema, vocabulary: own, path: pathOf(here) });
    }
  }
  return found;
}
