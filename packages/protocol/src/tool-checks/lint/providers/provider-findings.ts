import {
  compileDeclared,
  DEFAULT_DIALECT,
  dialectOf,
  isObject,
  type JsonObject,
  joinPointer,
} from "@touchstone/core/advanced";
import { quotedAuthorText } from "../finding.ts";
import { PLACES_PER_STEP, type Subschema } from "../walk.ts";
import { acceptsKeyword, isRefusedAtTop } from "./accepted-keywords.ts";
import type { BrokenSchema } from "./broken-schema.ts";
import { exceededLimits } from "./limits.ts";
import { typesOf } from "./place-rules.ts";
import {
  INPUT_SCHEMA_PATH,
  type Provider,
  type ProviderFound,
  type ProviderRule,
} from "./provider.ts";
import { toolObjections } from "./tool-found.ts";

const INSTEAD: ReadonlyMap<string, string> = new Map([
  ["$ref", "Replace it with the schema that it refers to."],
  ["$schema", "Leave it out; MCP's default is draft 2020-12."],
  [
    "additionalProperties",
    "Leave it out, and say in the description that nothing else is accepted.",
  ],
  ["const", "Write enum with the one value, if it is a string."],
  ["oneOf", "Write anyOf, if no value fits two of the branches."],
  ["allOf", "Write the parts into one schema."],
  ["exclusiveMinimum", "Write minimum with the next number, if only whole numbers are accepted."],
  ["exclusiveMaximum", "Write maximum with the next number, if only whole numbers are accepted."],
]);
const INSTEAD_AT_TOP: ReadonlyMap<string, string> = new Map(
  ["$schema", "$id", "title", "description", "additionalProperties"].map((keyword) => [
    keyword,
    INSTEAD.get(keyword) ?? "Leave it out.",
  ]),
);
const TAKE_OUT = "Remove it, and say in the description what it requires.";

function keywordFound(
  provider: Provider,
  { schema, path }: Subschema,
  isTop: boolean,
): ProviderFound[] {
  const { title } = provider;
  return Object.keys(schema).flatMap((keyword): ProviderFound[] => {
    const at = joinPointer(path, keyword);
    if (isTop && isRefusedAtTop(provider, keyword)) {
      const fix =
        INSTEAD_AT_TOP.get(keyword) ??
        "Move it below a property, or let the tool check it and say so in the description.";
      const message = `${title} does not accept ${quotedAuthorText(keyword)} at the top of a tool's parameters`;
      return [{ path: at, rule: "top-level", severity: "error", message, fix }];
    }
    if (acceptsKeyword(provider, keyword)) return [];
    const message = `${title} does not accept the keyword ${quotedAuthorText(keyword)}`;
    const fix = INSTEAD.get(keyword) ?? TAKE_OUT;
    return [{ path: at, rule: "keyword", severity: "error", message, fix }];
  });
}

/** Returns the formats that a provider accepts in a schema, if that schema has another one. */
export function acceptedFormats(
  { formats }: Provider,
  schema: JsonObject,
): ReadonlySet<string> | undefined {
  const { format } = schema;
  if (formats === undefined || typeof format !== "string") return undefined;
  const types = typesOf(schema);
  const isNumber = types.includes("number") || types.includes("integer");
  const taken = formats[isNumber ? "number" : "string"];
  return taken?.has(format) === false ? taken : undefined;
}

function formatFound(provider: Provider, { schema, path }: Subschema): ProviderFound[] {
  const taken = acceptedFormats(provider, schema);
  if (taken === undefined) return [];
  const { title } = provider;
  const format = String(schema["format"]);
  return [
    {
      path: `${path}/format`,
      rule: "format",
      severity: "error",
      message: `${title} does not accept the format ${quotedAuthorText(format)}; it accepts ${[...taken].join(", ")}`,
      fix: "Take it out, and say in the description how the text is written.",
    },
  ];
}

function placeFound(provider: Provider, place: Subschema): ProviderFound[] {
  const isTop = place.path === INPUT_SCHEMA_PATH;
  const ruled = Object.entries(provider.places).flatMap(([rule, judge]) =>
    judge(place, isTop).map(({ at = "", message, fix, severity = "error" }) => ({
      path: place.path + at,
      // The table's keys are rules.
      rule: rule as ProviderRule,
      severity,
      message: `${provider.title}: ${message}`,
      fix,
    })),
  );
  return [...keywordFound(provider, place, isTop), ...formatFound(provider, place), ...ruled];
}

function dialectFound(
  { title, only2020 }: Provider,
  schema: JsonObject,
  broken: readonly BrokenSchema[],
): ProviderFound[] {
  const { $schema, ...rest } = schema;
  if (only2020 !== true || $schema === undefined) return [];
  const { error: fault } = compileDeclared({ value: rest });
  if (fault?.code !== "metaschema") return [];
  // The metaschema may report several errors for one place.
  const places = new Map(
    [...(fault.details ?? [fault])].reverse().map((each) => [INPUT_SCHEMA_PATH + each.path, each]),
  );
  for (const { path } of broken) places.delete(path);
  return [...places].reverse().map(([path, { message }]) => ({
    path,
    rule: "not-2020-12",
    severity: "error",
    message: `${title} accepts only draft 2020-12 of JSON Schema, in which this is wrong: ${message}`,
    fix: "Write the schema in draft 2020-12.",
  }));
}

function brokenFound({ title }: Provider, broken: readonly BrokenSchema[]): ProviderFound[] {
  return broken.map(({ path, rule, message, fix }) => ({
    ...{ path, rule, fix },
    severity: "error",
    message: `${title}: ${message}`,
  }));
}

/** A tool, and those facts about its schemas that are the same for all providers. */
export interface ExaminedTool {
  readonly tool: JsonObject;
  /** The index in the list of the first tool with the same name, if that is another tool. */
  readonly twin: number | undefined;
  /** The input schema and the schemas in it; empty if it is not an object. */
  readonly places: readonly Subschema[];
  readonly broken: readonly BrokenSchema[];
  /** Faults of the output schema that affect anyone who compiles it. */
  readonly output: readonly BrokenSchema[];
  /** What the client puts before tool names. */
  readonly prefix: string | undefined;
}

/** Returns what a client that compiles output schemas objects to in an output schema. */
function outputFound(
  { title, compilesOutput }: Provider,
  { tool, output }: ExaminedTool,
): ProviderFound[] {
  const { outputSchema } = tool;
  if (compilesOutput !== true || !isObject(outputSchema)) return [];
  const rule = "output-schema";
  const found = output.map(({ path, message, fix }): ProviderFound => {
    const text = `${title}: ${message}; clients refuse every call of the tool`;
    return { path, rule, severity: "error", message: text, fix };
  });
  const { $schema } = outputSchema;
  const dialect = typeof $schema === "string" ? dialectOf($schema) : DEFAULT_DIALECT;
  if (dialect !== DEFAULT_DIALECT) {
    // Later releases of the client know the drafts in between.
    const isOld = dialect === undefined || dialect === "draft-04";
    found.unshift({
      path: "/outputSchema/$schema",
      rule,
      severity: isOld ? "error" : "warning",
      message: `${title}: the output schema names the dialect ${quotedAuthorText(String($schema))}; ${isOld ? "clients" : "releases of the client that know draft 2020-12 only"} refuse every call of the tool`,
      fix: "Write the schema in draft 2020-12 and leave $schema out.",
    });
  }
  return found;
}

/** Returns what a provider objects to in one tool, in steps of a few milliseconds. */
export function* providerSteps(
  provider: Provider,
  examined: ExaminedTool,
): Generator<void, readonly ProviderFound[], void> {
  const { tool, twin, places, broken, prefix } = examined;
  const { inputSchema } = tool;
  const found = [
    ...toolObjections(provider, tool, twin, prefix),
    ...outputFound(provider, examined),
  ];
  if (!isObject(inputSchema) || inputSchema["type"] !== "object") {
    const message = `${provider.title} accepts only parameters of type object`;
    const fix = isObject(inputSchema)
      ? 'Add "type": "object" at the top.'
      : 'Give the tool the inputSchema {"type": "object", "properties": {}}.';
    const path = Object.hasOwn(tool, "inputSchema") ? INPUT_SCHEMA_PATH : "";
    found.push({ path, rule: "top-level", severity: "error", message, fix });
  }
  if (!isObject(inputSchema)) return found;
  const reported = new Set(broken.map(({ rule, path }) => `${rule} ${path}`));
  for (const each of brokenFound(provider, broken)) found.push(each);
  for (const each of dialectFound(provider, inputSchema, broken)) found.push(each);
  yield;
  for (const [at, place] of places.entries()) {
    for (const each of placeFound(provider, place)) {
      const { rule, path } = each;
      // If a reference leads nowhere, there is no schema to replace it with.
      const isKnown =
        reported.has(`${rule} ${path}`) ||
        (rule === "keyword" && reported.has(`unresolved-reference ${path}`));
      if (!isKnown) found.push(each);
    }
    if ((at + 1) % PLACES_PER_STEP === 0) yield;
  }
  for (const each of exceededLimits(provider, places)) found.push(each);
  return found;
}
