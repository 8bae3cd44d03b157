import { spend } from "./budget.ts";
import { type Applied, type Keyword, keyword } from "./keyword.ts";
import { areDeclared } from "./properties.ts";
import { cutMarks, fail, hasProperty } from "./run.ts";

/** `required` (2020-12 Validation, section 6.5.3). */
export const required: Keyword = keyword({
  name: "required",
  appliesTo: "object",
  issueClass: "required",
  isIdle: areDeclared,
  compile: (node) => {
    const names = node.required ?? [];
    if (names.length === 0) return undefined;
    return (run, value, place) => {
      if (names.length > 1) spend(run, names.length >>> 1);
      let valid = true;
      for (let i = 0; i < names.length; i++) {
        const missingProperty = names[i] as string;
        if (hasProperty(value, missingProperty)) continue;
        if (run.report === undefined) return false;
        valid = fail(
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
  appliesTo: "object",
  issueClass: "required",
  compile: (node) => {
    const entries = [...(node.dependentRequired ?? [])];
    if (entries.length === 0) return undefined;
    return (run, value, place) => {
      spend(run, entries.length);
      let valid = true;
      for (const [property, names] of entries) {
        if (!hasProperty(value, property)) continue;
        spend(run, names.length);
        let deps: string | undefined;
        for (const missingProperty of names) {
          if (hasProperty(value, missingProperty)) continue;
          if (run.report === undefined) return false;
          const depsCount = names.length;
          valid = fail(
            run,
            node,
            "dependentRequired",
            value,
            place,
            () => {
              // One text for all issues: the names of a hostile schema may be many.
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

/** `dependentSchemas`, and `dependencies` with schemas (2020-12 Core, section 10.2.2.4). */
export const dependentSchemas: Keyword = keyword({
  name: "dependentSchemas",
  appliesTo: "object",
  compile: (node, { apply }) => {
    const entries = [...(node.dependentSchemas ?? [])].map(
      ([property, schema]): readonly [string, Applied] => [property, apply(schema)],
    );
    if (entries.length === 0) return undefined;
    return (run, value, place, marks) => {
      spend(run, entries.length);
      let valid = true;
      for (const [property, schema] of entries) {
        if (!hasProperty(value, property)) continue;
        const marked = marks?.length ?? 0;
        if (schema.check(run, value, place, marks)) continue;
        if (run.report === undefined) return false;
        cutMarks(marks, marked);
        valid = false;
      }
      return valid;
    };
  },
});
