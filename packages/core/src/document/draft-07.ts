import { fragmentTokens, joinPointer } from "../json/pointer.ts";
import { jsonKey } from "../json/value.ts";
import type { AdmittedDocument } from "./admitted.ts";
import { isJson, type Json, setOwnMember } from "./json.ts";
import { keywordOf, type Vocabulary, vocabularyOf } from "./vocabulary.ts";

/** Keywords that change no verdict themselves, and that draft-07 does not have. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "$schema",
  "$vocabulary",
  "$anchor",
  "$dynamicAnchor",
  "$recursiveAnchor",
  "minContains",
  "maxContains",
]);
/** Keywords that are written differently, or change no verdict. */
const CONVERTED: ReadonlySet<string> = new Set(["prefixItems", "contentSchema"]);
/** Keywords that draft-07 has under one name. */
const TOGETHER: ReadonlyMap<string, string> = new Map([
  ["$defs", "definitions"],
  ["definitions", "definitions"],
  ["dependentRequired", "dependencies"],
  ["dependentSchemas", "dependencies"],
  ["dependencies", "dependencies"],
]);

const DRAFT_07 = vocabularyOf("draft-07");

/** Returns whether a schema accepts everything. */
function isOpen(schema: unknown): boolean {
  return schema === true || (isJson(schema) && Object.keys(schema).length === 0);
}

class Converter {
  /** The pointer to each schema in the new document, by its pointer in the author's document. */
  readonly #places: Map<string, string> = new Map();
  readonly #references: { readonly holder: Json; readonly from: string }[] = [];
  readonly #vocabulary: Vocabulary;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  run(schema: unknown): Json {
    const made = this.#schema(schema, "", "");
    for (const { holder, from } of this.#references) {
      const tokens = fragmentTokens(String(holder["$ref"]));
      const place = tokens && this.#places.get(tokens.reduce(joinPointer, ""));
      if (place === undefined) throw refusal(from, "$ref", "leads to no subschema by its place");
      holder["$ref"] = `#${encodeURI(place.toWellFormed()).replaceAll("#", "%23")}`;
    }
    if (made === false) return { not: {} };
    return { $schema: "http://json-schema.org/draft-07/schema#", ...(isJson(made) ? made : {}) };
  }

  /** @param from pointer in the author's document, `to` pointer in the new one */
  #schema(schema: unknown, from: string, to: string): unknown {
    this.#places.set(from, to);
    if (!isJson(schema)) return schema;
    const made: Json = {};
    for (const keyword of Object.keys(schema)) this.#keyword(schema, keyword, made, from, to);
    if (Object.hasOwn(schema, "$ref")) this.#reference(schema["$ref"], made, from);
    return made;
  }

  #reference(reference: unknown, made: Json, from: string): void {
    const holder: Json = { $ref: reference };
    this.#references.push({ holder, from });
    // Beside a `$ref`, draft-07 ignores everything (Core, section 8.3); the root has `$schema`.
    const all = made["allOf"];
    if (Array.isArray(all)) all.push(holder);
    else made["allOf"] = [holder];
    const isAlone = from !== "" && Object.keys(made).length === 1 && !Array.isArray(all);
    if (!isAlone) return;
    delete made["allOf"];
    this.#references.pop();
    made["$ref"] = reference;
    this.#references.push({ holder: made, from });
  }

  #keyword(schema: Json, keyword: string, made: Json, from: string, to: string): void {
    const value = schema[keyword];
    if (keyword === "$ref" || LEFT_OUT.has(keyword)) return;
    const holding = keywordOf(this.#vocabulary, keyword)?.holds;
    if (this.#hasNoEqual(keyword)) {
      if (keyword.startsWith("$") || !isOpen(value)) throw refusal(from, keyword, "has no equal");
      return;
    }
    if (keyword === "$id" && from !== "")
      throw refusal(from, keyword, "gives it a base of its own");
    // 2020-12 ignores `additionalItems`, but draft-07 would apply it.
    if (keyword === "additionalItems" && holding === undefined) return;
    if (keyword === "contains" && !this.#isPlainContains(schema, from)) return;
    if (keyword === "enum" && Array.isArray(value)) {
      // The metaschema of draft-07 allows each value of an `enum` only once.
      made["enum"] = [...new Map(value.map((one) => [jsonKey(one), one])).values()];
      return;
    }
    const name = this.#nameOf(schema, keyword);
    const [old, now] = [joinPointer(from, keyword), joinPointer(to, name)];
    if (holding === "map" || keyword === "dependentRequired") {
      if (isJson(value)) this.#members(value, keyword, made, name, old, now);
    } else if (holding === undefined || keyword === "contentSchema")
      setOwnMember(made, name, value);
    else if (Array.isArray(value)) {
      made[name] = value.map((item, i) =>
        this.#schema(item, joinPointer(old, i), joinPointer(now, i)),
      );
    } else made[name] = this.#schema(value, old, now);
  }

  /** Returns whether a keyword has a meaning in the author's dialect that draft-07 cannot express. */
  #hasNoEqual(keyword: string): boolean {
    if (TOGETHER.has(keyword) || CONVERTED.has(keyword)) return false;
    const isKnown = (vocabulary: Vocabulary): boolean =>
      keywordOf(vocabulary, keyword) !== undefined;
    return isKnown(this.#vocabulary) && !isKnown(DRAFT_07);
  }

  #nameOf(schema: Json, keyword: string): string {
    const isTuple = this.#vocabulary.dialect === "2020-12" && Array.isArray(schema["prefixItems"]);
    if (isTuple && keyword === "prefixItems") return "items";
    if (isTuple && keyword === "items") return "additionalItems";
    return TOGETHER.get(keyword) ?? keyword;
  }

  /** Returns whether `contains` requires one item; false if it requires none. */
  #isPlainContains({ minContains = 1, maxContains }: Json, from: string): boolean {
    if (maxContains !== undefined) throw refusal(from, "maxContains", "has no equal");
    if (minContains !== 0 && minContains !== 1) throw refusal(from, "minContains", "has no equal");
    return minContains === 1;
  }

  #members(map: Json, keyword: string, made: Json, name: string, old: string, now: string): void {
    const members = isJson(made[name]) ? made[name] : {};
    made[name] = members;
    for (const [member, value] of Object.entries(map)) {
      let called = member;
      while (Object.hasOwn(members, called)) {
        // A definition can be renamed, because references find it by its place. A dependency cannot, because its key is
        // the name of a property.
        if (name !== "definitions") throw refusal(old, member, "stands there twice");
        called = `${called}_`;
      }
      const isNames = keyword !== "properties" && name === "dependencies" && Array.isArray(value);
      const at = joinPointer(old, member);
      setOwnMember(
        members,
        called,
        isNames ? value : this.#schema(value, at, joinPointer(now, called)),
      );
    }
  }
}

function refusal(from: string, keyword: string, why: string): TypeError {
  return new TypeError(
    `the schema cannot be written in draft-07: ${JSON.stringify(keyword)} at ${from || "the root"} ${why} there; ask for draft-2020-12`,
  );
}

/**
 * Converts a schema of 2019-09 or 2020-12 to draft-07 so that it accepts the same values and keeps its annotations:
 * `$defs` becomes `definitions`, `prefixItems` a list in `items`, `dependentRequired` and `dependentSchemas` become
 * `dependencies`, and a `$ref` with other keywords goes into `allOf`.
 * @throws TypeError if draft-07 cannot express it: unevaluated members or items, dynamic references, a number of
 *   items in `contains`, embedded identifiers, references to anchors and to other documents
 */
export function toDraft07({ schema, vocabulary }: AdmittedDocument): Json {
  if (vocabulary.names !== undefined) {
    throw new TypeError(
      "a schema with its own metaschema cannot be written in draft-07; ask for draft-2020-12",
    );
  }
  return new Converter(vocabulary).run(JSON.parse(JSON.stringify(schema)));
}
