import { isObject } from "@touchstone/core/advanced";
import picocolors from "picocolors";
import { safeText } from "../terminal/safe-text.ts";
import { type Column, renderTable } from "../terminal/table.ts";
import { readDeclaration, type ValueDeclaration } from "./declared.ts";
import { toolFindingName } from "./list-tools.ts";

/** The tools of one server. Each tool may have any shape. */
export interface NamedTools {
  readonly server: string;
  readonly tools: readonly unknown[];
}

interface TableOptions {
  /** Width of the terminal; undefined for no limit. */
  readonly width: number | undefined;
  readonly isWide: boolean;
  readonly colour: boolean;
  readonly withServer: boolean;
}

const COLUMNS: readonly Column[] = [
  { title: "TOOL", least: 16 },
  { title: "ARGUMENTS", least: 10 },
  { title: "DESCRIPTION", least: 20, leftOut: 1 },
];
const WIDE_COLUMNS: readonly Column[] = [
  { title: "TOOL" },
  { title: "ARGUMENTS" },
  { title: "RETURNS" },
  { title: "HINTS" },
  { title: "DESCRIPTION" },
];

/** Formats tools as a table, one line each. `?` marks an optional argument. */
export function toolTable(servers: readonly NamedTools[], options: TableOptions): string {
  const { isWide, withServer, width } = options;
  const { bold } = picocolors.createColors(options.colour);
  const rows = servers.flatMap(({ server, tools }) =>
    tools.map((tool, index) => {
      const name = `${withServer ? `${server}/` : ""}${toolFindingName(tool, index)}`;
      const of = (key: string): unknown => (isObject(tool) ? tool[key] : undefined);
      const inputs = argumentsText(of("inputSchema"), isWide);
      const [first = ""] = stringOrEmpty(of("description"))
        .trim()
        .split(/\s*[\r\n]+/, 1);
      if (!isWide) return [name, inputs, first];
      return [name, inputs, argumentsText(of("outputSchema"), true), hints(tool), first];
    }),
  );
  return renderTable(isWide ? WIDE_COLUMNS : COLUMNS, rows, {
    width,
    paint: (text, row) => (row === "title" ? bold(text) : text),
  });
}

/** Formats one tool for people: what it does, its arguments, what it returns. */
export function describeTool(tool: unknown, colour: boolean): string {
  const { bold } = picocolors.createColors(colour);
  const of = (key: string): unknown => (isObject(tool) ? tool[key] : undefined);
  const title = stringOrEmpty(of("title"));
  const lines = [
    bold(safeText(toolFindingName(tool, 0))) + (title === "" ? "" : `  ${safeText(title)}`),
  ];
  const paragraphs = stringOrEmpty(of("description")).trim();
  for (const line of paragraphs === "" ? [] : paragraphs.split(/\r\n|\r|\n/)) {
    lines.push(`  ${safeText(line)}`.trimEnd());
  }
  const hinted = hints(tool);
  if (hinted !== "") lines.push("", `${bold("Hints")}  ${safeText(hinted)}`);
  lines.push("", ...valueLines(bold("Arguments"), of("inputSchema"), "it takes none"));
  if ((of("outputSchema") ?? null) !== null) {
    lines.push("", ...valueLines(bold("Returns"), of("outputSchema"), "any object"));
  }
  return `${lines.join("\n")}\n`;
}

const stringOrEmpty = (value: unknown): string => (typeof value === "string" ? value : "");

function argumentsText(schema: unknown, withTypes: boolean): string {
  const { properties, required } = readDeclaration(schema, schema);
  return [...properties]
    .map(([name, one]) => {
      const type = withTypes ? `:${typeText(readDeclaration(one, schema), schema)}` : "";
      return `${name}${required.has(name) ? "" : "?"}${type}`;
    })
    .join(", ");
}

function valueLines(title: string, schema: unknown, none: string): readonly string[] {
  const { properties, required } = readDeclaration(schema, schema);
  if (properties.size === 0) return [`${title}  ${none}`];
  const rows = [...properties].map(([name, one]) => {
    const what = readDeclaration(one, schema);
    const usual = "default" in what ? ` (default ${short(what.default)})` : "";
    const need = required.has(name) ? "required" : "";
    return [name, typeText(what, schema), need, `${oneLine(what.description ?? "")}${usual}`];
  });
  const titles: Column[] = [{ title: "" }, { title: "", max: 60 }, { title: "" }, { title: "" }];
  const [, ...lines] = renderTable(titles, rows).trimEnd().split("\n");
  return [title, ...lines.map((line) => `  ${line}`.trimEnd())];
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** Returns a short description of a value's type: `string`, `array of integer`, `"a" | "b"`. */
export function typeText(what: ValueDeclaration, root: unknown): string {
  if (what.values !== undefined) return what.values.slice(0, 20).map(short).join(" | ");
  // `number` includes integers.
  const types = [...what.types].filter((type) => type !== "integer" || !what.types.has("number"));
  if (types.length > 5) return "any";
  return types
    .map((type) => {
      const item = type === "array" ? what.item(0) : undefined;
      if (item === undefined) return type;
      const inner = typeText({ ...readDeclaration(item, root), item: () => undefined }, root);
      return inner === "any" ? type : `${type} of ${inner}`;
    })
    .join(" | ");
}

const MAX_VALUE = 40;

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

/**
 * Returns what a tool's annotations declare about its effects (MCP, `ToolAnnotations`). Only the server declares
 * them; they are not verified.
 */
function hints(tool: unknown): string {
  const annotations = isObject(tool) ? tool["annotations"] : undefined;
  if (!isObject(annotations)) return "";
  const words: readonly (readonly [string, string, string])[] = [
    ["readOnlyHint", "read-only", "writes"],
    ["destructiveHint", "destructive", "not destructive"],
    ["idempotentHint", "idempotent", "not idempotent"],
    ["openWorldHint", "open world", "closed world"],
  ];
  return words
    .flatMap(([key, yes, no]) => {
      const value = annotations[key];
      return typeof value === "boolean" ? [value ? yes : no] : [];
    })
    .join(", ");
}
