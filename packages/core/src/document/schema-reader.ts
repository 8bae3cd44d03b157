import { patternExcess } from "../engine/pattern/parse.ts";
import { decimalText } from "../json/decimal.ts";
import { decimalsBelow, exactBelow } from "../json/exact-tree.ts";
import type { SchemaNumber, SchemaPattern, SchemaValue } from "../keywords/node.ts";
import { isTypeName, type TypeName } from "../keywords/type-name.ts";
import { FaultError } from "./fault.ts";
import { isJson, type Json } from "./json.ts";
import { faultPath, type Place, whereIs } from "./place.ts";
import { keywordOf } from "./vocabulary.ts";

/**
 * Reads the keywords of one schema: those alone that its vocabulary knows, each in the shape that
 * the keyword has. What was reached by a pointer into an unknown keyword was checked by nobody
 * before.
 */
export class Keywords {
  readonly place: Place;
  private readonly known: Map<string, unknown> = new Map();

  constructor(place: Place, schema: Json) {
    this.place = place;
    const { vocabulary } = place.resource;
    for (const keyword of Object.keys(schema)) {
      if (keywordOf(vocabulary, keyword) !== undefined) this.known.set(keyword, schema[keyword]);
    }
  }

  /** A keyword's value; `undefined` where it is absent or unknown. */
  value(keyword: string): unknown {
    return this.known.get(keyword);
  }

  /** The value of a keyword that judges nothing, whatever shape it has (Validation, section 9). */
  annotation(keyword: string): unknown {
    const { schema } = this.place;
    return isJson(schema) && Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
  }

  text(keyword: string): string | undefined {
    const value = this.value(keyword);
    if (value === undefined || typeof value === "string") return value;
    throw this.wrong(keyword, "must be string");
  }

  flag(keyword: string): boolean | undefined {
    const value = this.value(keyword);
    if (value === undefined || typeof value === "boolean") return value;
    throw this.wrong(keyword, "must be boolean");
  }

  number(keyword: string): SchemaNumber | undefined {
    const value = this.value(keyword);
    if (value === undefined) return undefined;
    if (typeof value !== "number") throw this.wrong(keyword, "must be number");
    const exact = exactBelow(this.place.exact, keyword)?.exact;
    return exact === undefined ? { value } : { value, exact };
  }

  /** A number of characters, items or members. */
  count(keyword: string): number | undefined {
    const value = this.value(keyword);
    if (value === undefined) return undefined;
    if (typeof value === "number" && value >= 0) return value;
    throw this.wrong(keyword, "must be number >= 0");
  }

  /** The text of a number that no double holds. */
  exactText(keyword: string): string | undefined {
    const exact = exactBelow(this.place.exact, keyword)?.exact;
    return exact && decimalText(exact);
  }

  list(keyword: string): readonly unknown[] | undefined {
    const value = this.value(keyword);
    if (value === undefined || Array.isArray(value)) return value;
    throw this.wrong(keyword, "must be array");
  }

  map(keyword: string): Json | undefined {
    const value = this.value(keyword);
    if (value === undefined || isJson(value)) return value;
    throw this.wrong(keyword, "must be object");
  }

  /** A list of names, also at a place below the keyword. */
  names(value: unknown, ...tokens: readonly string[]): readonly string[] {
    if (Array.isArray(value) && value.every((name) => typeof name === "string")) return value;
    throw this.wrong(tokens.join("/"), "must be array of strings");
  }

  types(): readonly TypeName[] | undefined {
    const value = this.value("type");
    if (value === undefined) return undefined;
    const types = Array.isArray(value) ? value : [value];
    if (types.every(isTypeName)) return types;
    throw this.wrong("type", "must be the name of a type or a list of such");
  }

  /** What may be equal to a value: that of `const`, or at an index of `enum`. */
  equal(value: unknown, ...tokens: readonly string[]): SchemaValue {
    let exact = this.place.exact;
    for (const token of tokens) exact = exactBelow(exact, token);
    return exact === undefined ? { value } : { value, decimals: decimalsBelow(exact) };
  }

  pattern(source: string, isPattern: (source: string) => boolean, tokens: string): SchemaPattern {
    if (isPattern(source)) return { source };
    const shown = source.length > 80 ? `${source.slice(0, 80)}…` : source;
    const pointer = `${this.place.pointer}/${tokens}`;
    const excess = patternExcess(source);
    const text =
      excess === undefined
        ? "is not a regular expression (ECMA-262)"
        : `is not used as a pattern: ${excess}`;
    throw new FaultError(
      "invalid_pattern",
      `${JSON.stringify(shown)} at ${whereIs(this.place, pointer)} ${text}`,
      faultPath(this.place, pointer),
    );
  }

  /** A fault of shape, in the words of a metaschema. */
  wrong(tokens: string, message: string): FaultError {
    const pointer = `${this.place.pointer}/${tokens}`;
    const { dialect } = this.place.resource.vocabulary;
    const path = faultPath(this.place, pointer);
    const text = `not valid JSON Schema ${dialect}: ${whereIs(this.place, pointer)} ${message}`;
    return new FaultError({
      code: "metaschema",
      message: text,
      path,
      details: [{ code: "metaschema", message, path }],
    });
  }
}
