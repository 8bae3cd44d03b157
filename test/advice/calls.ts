import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type CompiledSchema, compileDeclared, type JsonObject } from "@touchstone/core/advanced";
import { BAD_CALLS } from "../../packages/core/src/report/render/testing/bad-calls.ts";
import { randomFrom, sampleInstance } from "../../packages/protocol/src/inclusion/sample.ts";
import { FAULTS, pick, type Random } from "./faults.ts";

/** A tool's input schema, and arguments that it accepts. */
export interface Tool {
  readonly name: string;
  readonly schema: CompiledSchema;
  readonly text: string;
  readonly valid: readonly unknown[];
}

/** Arguments that a schema refuses, with the kinds of fault in them. */
export interface WrongCall {
  readonly tool: Tool;
  readonly args: unknown;
  readonly faults: readonly string[];
}

/** How many arguments are generated for a tool, and how many of them are kept. */
const MADE = 200;
const KEPT = 12;

function toolOf(name: string, declared: JsonObject, random: Random): Tool | undefined {
  const schema = compileDeclared({ value: declared });
  const { canonical } = schema;
  if (canonical === undefined) return undefined;
  const valid = new Map<string, unknown>();
  for (let n = 0; n < MADE && valid.size < KEPT; n++) {
    const { value } = sampleInstance(canonical, random);
    const text = JSON.stringify(value);
    if (text.length < 4_000 && schema.validateText(text).valid) valid.set(text, value);
  }
  const text = JSON.stringify(declared);
  return valid.size === 0 ? undefined : { name, schema, text, valid: [...valid.values()] };
}

/** Returns the tools from a folder of lists by servers. */
export function listedTools(folder: string, random: Random): readonly Tool[] {
  return readdirSync(folder).flatMap((file) => {
    const { tools } = JSON.parse(readFileSync(join(folder, file), "utf8")) as {
      tools: { name: string; inputSchema: JsonObject }[];
    };
    return tools.flatMap(({ name, inputSchema }) => toolOf(name, inputSchema, random) ?? []);
  });
}

/** Returns tools with schemas that lists of servers seldom contain. */
export function ownTools(random: Random): readonly Tool[] {
  const schemas = new Map(
    BAD_CALLS.map(({ name, schema }) => [JSON.stringify(schema), { name, schema }]),
  );
  return [...schemas.values()].flatMap(
    ({ name, schema }) => toolOf(name, schema as JsonObject, random) ?? [],
  );
}

/** Generates wrong calls, the same calls for the same seed: one to three faults in valid arguments. */
export function* wrongCalls(tools: readonly Tool[], seed: number): Generator<WrongCall, void> {
  const random = randomFrom(seed);
  const names = Object.keys(FAULTS);
  for (;;) {
    const tool = pick(random, tools);
    if (tool === undefined) return;
    const root = { value: structuredClone(pick(random, tool.valid)) };
    const faults: string[] = [];
    const wanted = random() < 0.6 ? 1 : random() < 0.75 ? 2 : 3;
    for (let n = 0; n < 12 && faults.length < wanted; n++) {
      const name = pick(random, names) as string;
      if (FAULTS[name]?.(root, random) === true) faults.push(name);
    }
    if (faults.length > 0 && !tool.schema.validateText(JSON.stringify(root.value)).valid) {
      yield { tool, args: root.value, faults };
    }
  }
}
