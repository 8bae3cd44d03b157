import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import type { AdmittedDocument } from "./document/admitted.ts";
import { toDraft07 } from "./document/draft-07.ts";
import { memberAt, pointerTokens } from "./json/pointer.ts";
import type { Dialect } from "./keywords/dialect.ts";
import type { Check, Issue } from "./result.ts";

/** The interface of a compiled schema as a Standard Schema and a Standard JSON Schema, both version 1. */
export type StandardProps<T = unknown> = StandardSchemaV1.Props<T> & StandardJSONSchemaV1.Props<T>;

export interface StandardParts {
  readonly validate: (value: unknown) => Check;
  /** The author's schema; undefined if it cannot be used. */
  readonly written: () => AdmittedDocument | undefined;
  /** The schema in 2020-12, whichever dialect it was written in. */
  readonly canonical: () => Record<string, unknown>;
}

const TARGETS: ReadonlyMap<string, Dialect> = new Map([
  ["draft-2020-12", "2020-12"],
  ["draft-2019-09", "2019-09"],
  ["draft-07", "draft-07"],
  ["draft-06", "draft-06"],
  ["draft-04", "draft-04"],
]);

/**
 * Returns the `~standard` property of a compiled schema (https://standardschema.dev, version 1). `validate` is
 * synchronous and never throws; numbers are doubles, as in any value in memory. Converts no value, so input and
 * output are the same. As a JSON Schema, it is available in its own dialect and in 2020-12, and from 2019-09 and
 * 2020-12 also in draft-07 if that can say the same; otherwise that throws a TypeError.
 */
export function standardProps({
  validate: check,
  written,
  canonical,
}: StandardParts): StandardProps {
  const convert = ({ target }: StandardJSONSchemaV1.Options): Record<string, unknown> => {
    const author = written();
    const wanted = TARGETS.get(target);
    if (author === undefined) {
      throw new TypeError("the schema cannot be used, so it has no JSON Schema to give");
    }
    const { dialect } = author.vocabulary;
    if (wanted === dialect) return asObject(author.schema);
    if (wanted === "2020-12") return canonical();
    if (wanted === "draft-07" && (dialect === "2020-12" || dialect === "2019-09")) {
      return toDraft07(author);
    }
    throw new TypeError(
      `a schema in ${dialect} cannot be written as ${target}; ask for draft-2020-12`,
    );
  };
  return {
    version: 1,
    vendor: "touchstone",
    validate: (value) => {
      const { valid, errors } = check(value);
      if (valid) return { value };
      return {
        issues: errors.map(({ message, path }) => ({ message, path: keysOf(path, value) })),
      };
    },
    jsonSchema: { input: convert, output: convert },
  };
}

/** Returns a boolean schema as an equivalent object. */
function asObject(schema: unknown): Record<string, unknown> {
  if (schema === false) return { not: {} };
  return typeof schema === "object" && schema !== null ? JSON.parse(JSON.stringify(schema)) : {};
}

/**
 * Returns the keys that an RFC 6901 pointer leads through; an array index is a number. If a getter of the value throws
 * only now, indexes cannot be distinguished from names.
 */
function keysOf(pointer: Issue["path"], root: unknown): readonly PropertyKey[] {
  const names = pointerTokens(pointer);
  let parent = root;
  try {
    return names.map((name) => {
      const isIndex = Array.isArray(parent) && /^\d+$/.test(name);
      parent = memberAt(parent, name)?.value;
      return isIndex ? Number(name) : name;
    });
  } catch {
    return names;
  }
}
