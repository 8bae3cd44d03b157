// Documents the keys of touchstone.json, as the schema for editors has them.
import { configJsonSchema } from "@touchstone/gateway";
import { cell } from "./cell.mjs";

function typeOf(schema) {
  // A variable may replace one of these values.
  const values = schema.enum ?? schema.anyOf?.find((one) => one.enum !== undefined)?.enum;
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(", ");
  // A list that may be written as one string.
  const list = schema.anyOf?.find((one) => one.type === "array");
  if (list !== undefined) return `one or a list of: ${typeOf(list.items)}`;
  const { type = "any", minimum, maximum, exclusiveMinimum, items } = schema;
  if (type === "array") return items === undefined ? type : `list of: ${typeOf(items)}`;
  const from =
    minimum ?? (exclusiveMinimum === undefined ? undefined : `above ${exclusiveMinimum}`);
  const bounded = type === "integer" || type === "number";
  const to = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  const range = [from, to].filter(
    (bound) => bound !== undefined && bound !== Number.MIN_SAFE_INTEGER,
  );
  return bounded && range.length > 0 ? `${type}, ${range.join(" to ")}` : type;
}

/** Returns whether a key is in the schema only so that editors refuse it, or because a client has it. */
const isForeign = (schema) => schema.not !== undefined || schema.$ref !== undefined;

function* rows(schema, path) {
  const members = Object.entries({ ...schema.properties, ...schema.else?.properties });
  const patterns = Object.values(schema.patternProperties ?? {}).map((inside) => [
    "/POINTER",
    inside,
  ]);
  for (const [name, inside] of [...members, ...patterns]) {
    if (isForeign(inside)) continue;
    const key = path === "" ? name : `${path}.${name}`;
    const below = inside.additionalProperties;
    if (inside.properties !== undefined) yield* rows(inside, key);
    else if (below?.properties !== undefined) yield* rows(below, `${key}.NAME`);
    else if (inside.items?.properties !== undefined) yield* rows(inside.items, `${key}[]`);
    else {
      const standard = inside.default === undefined ? "" : `\`${JSON.stringify(inside.default)}\``;
      yield `| \`${key}\` | ${cell(typeOf(inside))} | ${standard} | ${cell(inside.description ?? "")} |`;
    }
  }
}

const IN_ENTRY = /^\| `mcpServers\.NAME\.touchstone\./;
/** Returns a row without the path before its key: the section's own name and what follows. */
const afterKey = (row) =>
  row.replace(/^\| `(?:mcpServers\.NAME\.touchstone\.)?(?:tools\.NAME\.)?/, "");

/** Descriptions of sections, by name. Other sections have only their name as heading. */
const ABOUT = {
  mcpServers:
    "The servers. An entry has the keys of MCP clients, and Touchstone's under `touchstone`.",
  input_validation: "Arguments of calls.",
  output_validation: "Structured results of calls.",
  protocol_validation: "Messages.",
  policy: "Which tools may be listed and called.",
  adapt: "What clients see of a tool list.",
  activity: "Records.",
  limits: "Sizes, numbers and times.",
  listen: "Where `serve` listens, and who may connect.",
  auth: "Keys, access tokens and sign-in.",
  http: "The tools API and the console.",
  telemetry: "Metrics, traces and records for other systems.",
  alerts: "Webhooks and commands.",
  logging: "The log on stderr.",
};
const SINGLE = "Other keys";
const HEAD = ["| key | values | default | meaning |", "|---|---|---|---|"];

const keyOf = (row) => /^\| `([^`]*)`/.exec(row)?.[1] ?? "";
/** Returns the section of a row: the first name of its key, or that of keys without a section. */
function sectionOf(row) {
  const key = keyOf(row);
  const end = key.search(/[.[]/);
  return end < 0 ? SINGLE : key.slice(0, end);
}

/** Returns the rows in tables, one for each section, under a heading with its name. */
function tables(all) {
  const sections = new Map();
  for (const row of all) {
    const name = sectionOf(row);
    sections.set(name, [...(sections.get(name) ?? []), row]);
  }
  const names = [...sections.keys()].filter((name) => name !== SINGLE);
  return [...names, SINGLE].flatMap((name) => {
    const rows = sections.get(name) ?? [];
    if (rows.length === 0) return [];
    const heading = name === SINGLE ? SINGLE : `\`${name}\``;
    const about = ABOUT[name] === undefined ? [] : [ABOUT[name], ""];
    return [`## ${heading}`, "", ...about, ...HEAD, ...rows, ""];
  });
}

/** Markdown. */
export function configurationReference() {
  const schema = configJsonSchema();
  const all = [...rows(schema, "")];
  const shared = new Set(all.filter((row) => !row.startsWith("| `mcpServers")).map(afterKey));
  // Leaves out keys of a server or tool that repeat those of the top level.
  const own = all.filter((row) => !IN_ENTRY.test(row) || !shared.has(afterKey(row)));
  return [
    "# Keys of touchstone.json",
    "",
    "Every key with its type, default and one line. In short:",
    "",
    "- [Settings](settings.md) explains the same keys by task. [`touchstone.json`](configuration.md) shows a whole file.",
    "- Keys are at the top level of the file. `NAME` is the name of a server or of a tool.",
    "- `mcpServers.NAME.touchstone` takes `*_validation`, `policy`, `pin`, `lock`, `adapt`, `capability` and",
    "  `forward_authorization` as well, for one server. `tools.NAME` in it takes `*_validation` for one tool.",
    "- A tool's key overrides its server's, and that overrides the top level.",
    "- Editors complete and check these keys with `touchstone config schema`.",
    "",
    ...tables(own),
  ].join("\n");
}
