import { type AppliedSchema, type Keyword, keyword } from "./keyword.ts";
import type { NodeDraft, SchemaNode } from "./node.ts";
import { declaresRequired } from "./properties.ts";
import { dropAnnotations, hasProperty, reportFailure, spendSteps } from "./run.ts";
import {
  NAMES_MAP_SHAPE,
  NAMES_SHAPE,
  namesAt,
  readMap,
  SCHEMA_MAP_SHAPE,
  type SchemaReader,
} from "./shape.ts";

declare module "./node.ts" {
  interface SchemaNode {
    readonly required?: readonly string[];
    readonly dependentRequired?: ReadonlyMap<string, readonly string[]>;
    readonly dependentSchemas?: NodeMap;
  }
}

/** `required` (2020-12 Validation, section 6.5.3). */
export const required: Keyword = keyword({
  name: "required",
  vocabulary: "validation",
  since: "draft-04",
  shape: NAMES_SHAPE,
  cost: ({ required: names = [] }) => names.length / 16,
  appliesTo: "object",
  issueClass: "required",
  explain: { about: "missingProperty", names: (node) => node.required ?? [] },
  isIdle: declaresRequired,
  compile: (node) => {
    const names = node.required ?? [];
    if (names.length === 0) return undefined;
    return (run, value, place) => {
      if (names.length > 1) spendSteps(run, names.length >>> 1);
      let valid = true;
      for (let i = 0; i < names.length; i++) {
        const missingProperty = names[i] as string;
        if (hasProperty(value, missingProperty)) continue;
        if (run.report === undefined) return false;
        valid = reportFailure(
          run,
          node,
          "required",
          value,
          place,
          () => ({
            message: `must have required property '${missingProperty}'`,
            params: { missingProperty },
          }),
          missingProperty,
        );
      }
      return valid;
    };
  },
});

/** `dependentRequired`, and `dependencies` with names (2020-12 Validation, section 6.5.4). */
export const dependentRequired: Keyword = keyword({
  name: "dependentRequired",
  vocabulary: "validation",
  since: "2019-09",
  // Kept from 2019-09 on so that older schemas still work (2019-09 Validation, appendix A).
  older: [
    {
      name: "dependencies",
      where: "sometimes",
      vocabulary: "applicator",
      since: "draft-04",
      holds: "map",
    },
  ],
  shape: NAMES_MAP_SHAPE,
  cost: ({ dependentRequired: lists }) => (lists?.size ?? 0) / 16,
  appliesTo: "object",
  issueClass: "required",
  explain: {
    about: "missingProperty",
    names: (node) => [...(node.dependentRequired?.values() ?? [])].flat(),
  },
  compile: (node) => {
    const entries = [...(node.dependentRequired ?? [])];
    if (entries.length === 0) return undefined;
    return (run, value, place) => {
      spendSteps(run, entries.length);
      let valid = true;
      for (const [property, names] of entries) {
        if (!hasProperty(value, property)) continue;
        spendSteps(run, names.length);
        let deps: string | undefined;
        for (const missingProperty of names) {
          if (hasProperty(value, missingProperty)) continue;
          if (run.report === undefined) return false;
          const depsCount = names.length;
          valid = reportFailure(
            run,
            node,
            "dependentRequired",
            value,
            place,
            () => {
              // One text for all issues: a hostile schema may have many names.
              deps ??= names.join(", ");
              const noun = depsCount === 1 ? "property" : "properties";
              return {
                message: `must have ${noun} ${deps} when property ${property} is present`,
                params: { property, missingProperty, depsCount, deps },
              };
            },
            missingProperty,
          );
        }
      }
      return valid;
    };
  },
});

/** `dependencies` of both kinds (draft-07 Validation, section 6.5.7). */
function readDependencies(node: NodeDraft, from: SchemaReader): void {
  const both = readMap(from, "dependencies");
  if (both === undefined) return;
  const names = new Map<string, readonly string[]>();
  const schemas = new Map<string, SchemaNode>();
  for (const [name, value] of Object.entries(both)) {
    if (Array.isArray(value)) names.set(name, namesAt(from, value, "dependencies", name));
    else schemas.set(name, from.schema(value, "dependencies", name));
  }
  // Next to the newer keywords, it goes to its own schema, which is in the same place.
  const isTaken =
    (names.size > 0 && node.dependentRequired !== undefined) ||
    (schemas.size > 0 && node.dependentSchemas !== undefined);
  const into = isTaken ? from.beside() : node;
  if (isTaken) node.allOf = [...(node.allOf ?? []), into];
  if (names.size > 0) {
    into.dependentRequired = names;
    from.written(into, "dependentRequired", "dependencies");
  }
  if (schemas.size > 0) {
    into.dependentSchemas = schemas;
    from.written(into, "dependentSchemas", "dependencies");
  }
}

/** `dependentSchemas`, and `dependencies` with schemas (2020-12 Core, section 10.2.2.4). */
export const dependentSchemas: Keyword = keyword({
  name: "dependentSchemas",
  vocabulary: "applicator",
  since: "2019-09",
  shape: SCHEMA_MAP_SHAPE,
  where: "sometimes",
  read(node, from) {
    const own = SCHEMA_MAP_SHAPE.read(from, "dependentSchemas");
    if (own !== undefined) node.dependentSchemas = own;
    // The older name of both keywords. It is read after them, so that a schema can have it beside them.
    readDependencies(node, from);
  },
  appliesTo: "object",
  compile: (node, { apply }) => {
    const entries = [...(node.dependentSchemas ?? [])].map(
      ([property, schema]): readonly [string, AppliedSchema] => [property, apply(schema)],
    );
    if (entries.length === 0) return undefined;
    return (run, value, place, marks) => {
      spendSteps(run, entries.length);
      let valid = true;
      for (const [property, schema] of entries) {
        if (!hasProperty(value, property)) continue;
        const marked = marks?.length ?? 0;
        if (schema.check(run, value, place, marks)) continue;
        if (run.report === undefined) return false;
        dropAnnotations(marks, marked);
        valid = false;
      }
      return valid;
    };
  },
});
