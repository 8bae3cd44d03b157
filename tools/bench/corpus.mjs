// The inputs of the benchmarks: schemas of real tools, and real large schemas and values.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileDeclared } from "@touchstone/core/advanced";
import { sample } from "./sample.mjs";

const shared =
  process.env.TOUCHSTONE_SHARED ?? fileURLToPath(new URL("../../../shared", import.meta.url));
const json = (path) => JSON.parse(readFileSync(path, "utf8"));
const local = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

function names(folder) {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** Returns tool lists as real servers sent them, by name. */
function toolLists() {
  const folder = join(shared, "corpus/tools-list");
  return names(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => [name.slice(0, -5), json(join(folder, name))]);
}

const isValid = ({ schema, value }) => compileDeclared({ value: schema }).validate(value).valid;

/** Returns tool schemas, each with one small value that it accepts. */
export function toolCases() {
  return toolLists()
    .flatMap(([, { tools = [] }]) => tools)
    .flatMap(({ inputSchema, outputSchema }) => [inputSchema, outputSchema])
    .filter((schema) => schema !== undefined && schema !== null)
    .map((schema) => ({ schema, value: sample(schema) }))
    .filter(isValid);
}

/** Returns MCP's own schema of a tool list, with each list as a value. */
function mcpCases() {
  const folder = join(shared, "corpus/mcp-schema");
  const revision = names(folder).findLast((name) => name.startsWith("2025"));
  if (revision === undefined) return [];
  const { $schema, $defs, definitions } = json(join(folder, revision, "schema.json"));
  const schema =
    $defs === undefined
      ? { $schema, definitions, $ref: "#/definitions/ListToolsResult" }
      : { $schema, $defs, $ref: "#/$defs/ListToolsResult" };
  return toolLists().map(([name, value]) => ({
    name: `MCP ${revision} ListToolsResult: ${name}`,
    schema,
    value,
  }));
}

/** Pairs each `NAME.schema.json` with the values `NAME.json` and `NAME.….json`. */
function ownCases(folder) {
  const all = names(folder);
  return all
    .filter((name) => name.endsWith(".schema.json"))
    .flatMap((name) => {
      const stem = name.slice(0, -"schema.json".length);
      return all
        .filter((value) => value.startsWith(stem) && value !== name && value.endsWith(".json"))
        .map((value) => ({
          name: value,
          schema: json(join(folder, name)),
          value: json(join(folder, value)),
        }));
    });
}

/** Returns large schemas with real values that they accept, and the names of those left out. */
export function largeCases() {
  const biome = json(local("node_modules/@biomejs/biome/configuration_schema.json"));
  const draft07 = json(local("node_modules/ajv/dist/refs/json-schema-draft-07.json"));
  const all = [
    { name: "Biome's configuration: biome.json", schema: biome, value: json(local("biome.json")) },
    { name: "draft-07 metaschema: Biome's configuration schema", schema: draft07, value: biome },
    ...mcpCases(),
    ...ownCases(process.env.TOUCHSTONE_SCHEMAS ?? ""),
  ];
  const cases = all.filter(isValid);
  return { cases, refused: all.filter((one) => !cases.includes(one)).map(({ name }) => name) };
}
