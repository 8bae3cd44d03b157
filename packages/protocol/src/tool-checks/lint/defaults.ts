import {
  type CompiledSchema,
  compileDeclared,
  dialectOf,
  isObject,
  issueClause,
  type JsonObject,
  joinPointer,
} from "@touchstone/core/advanced";
import type { UnassignedFinding } from "./finding.ts";
import { mayHaveReference, type Subschema } from "./walk.ts";

/** How many defaults and examples of one schema are checked. */
const MAX_CHECKED = 500;
/** How many characters of schemas are compiled for them. A place with a reference is compiled with the whole schema. */
const MAX_COMPILED = 8_388_608;
/** The name under which a copied part of a schema refers to the whole schema. */
const TOP = "urn:touchstone:top";

/** How many characters of a value a message shows. */
const MAX_SHOWN = 80;

const cut = (text: string): string =>
  text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;

/** Returns a part of a schema as a separate schema, whose references lead to the same targets as before. */
function alone(
  { schema }: Subschema,
  top: JsonObject,
  pointer: string,
  hasReference: boolean,
): CompiledSchema {
  const { $schema } = top;
  const named = typeof $schema === "string" ? { $schema } : {};
  if (!hasReference) return compileDeclared({ value: { ...schema, ...named } });
  const isOld = typeof $schema === "string" && dialectOf($schema) === "draft-04";
  const id = isOld ? "id" : "$id";
  const own = typeof top[id] === "string" ? (top[id] as string) : TOP;
  const fragment = pointer
    .split("/")
    .map((token) => encodeURIComponent(token))
    .join("/");
  const value = {
    ...named,
    definitions: { top: { ...top, [id]: own } },
    allOf: [{ $ref: `${own.replace(/#$/, "")}#${fragment}` }],
  };
  return compileDeclared({ value });
}

function notExamined(path: string, checked: number): UnassignedFinding {
  return {
    path,
    rule: "not-examined",
    severity: "info",
    message: `only the first ${checked} defaults and examples were checked`,
    fix: "Split the tool, or leave examples out.",
  };
}

/**
 * Finds defaults and examples that their own schema refuses (2020-12 Validation, section 9: both should be valid).
 * Clients and forms fill them in.
 * @param path pointer to the schema in the tool
 */
export function* defaultFindings(
  places: readonly Subschema[],
  top: JsonObject,
  path: string,
): Generator<UnassignedFinding, void, void> {
  let [checked, compiledLeft] = [0, MAX_COMPILED];
  let wholeLength: number | undefined;
  for (const place of places) {
    const { schema, path: at } = place;
    const examples = Array.isArray(schema["examples"]) ? schema["examples"] : [];
    const given: (readonly [keyword: string, where: string, value: unknown])[] = examples.map(
      (value, index) => ["example", `${joinPointer(at, "examples")}/${index}`, value],
    );
    if (Object.hasOwn(schema, "default")) {
      given.unshift(["default", joinPointer(at, "default"), schema["default"]]);
    }
    if (given.length === 0) continue;
    const text = JSON.stringify(schema);
    const hasReference = mayHaveReference(text);
    if (hasReference) {
      wholeLength ??= JSON.stringify(top).length;
      compiledLeft -= wholeLength;
    } else compiledLeft -= text.length;
    if (compiledLeft < 0) {
      yield notExamined(path, checked);
      return;
    }
    const compiled = alone(place, top, at.slice(path.length), hasReference);
    if (compiled.error !== undefined) continue;
    for (const [keyword, where, value] of given) {
      if (checked === MAX_CHECKED) {
        yield notExamined(path, checked);
        return;
      }
      checked += 1;
      const { outcome, errors } = compiled.validate(value);
      const [issue] = errors;
      if (outcome !== "violation" || issue === undefined) continue;
      const inside = issue.path === "" ? "" : ` at ${issue.path}`;
      yield {
        path: where,
        rule: "refused-default",
        severity: "warning",
        message: `the ${keyword} ${cut(JSON.stringify(value) ?? "")} is refused by its own schema${inside}: it ${issueClause(issue).predicate}`,
        fix: isObject(value)
          ? `Correct the ${keyword}, or the schema; clients that fill it in are refused.`
          : `Give a valid ${keyword}, or leave it out; clients that fill it in are refused.`,
      };
    }
  }
}
