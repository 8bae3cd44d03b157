// `npm run bench:runner`, or `node tools/bench/runner.mjs`: measures what an adapter adds to a call of an agent SDK,
// compared with the bare SDK in the same run, in turns, and what a repair costs. Arguments of 1 KB. `--texts` instead
// prints what a model reads after each bad call, from the bare SDK and from the adapter.
import "../help.mjs";

import { parseArgs } from "node:util";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { runRunnableTool } from "@anthropic-ai/sdk/lib/tools/BetaRunnableTool";
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";
import { tool as langChainTool } from "@langchain/core/tools";
import { tool as openAiTool, RunContext, setTracingDisabled } from "@openai/agents";
import * as ai from "@touchstone/runner/ai";
import * as anthropic from "@touchstone/runner/anthropic";
import * as langchain from "@touchstone/runner/langchain";
import * as openai from "@touchstone/runner/openai";
import { asSchema, jsonSchema, TypeValidationError } from "ai";
import { runnerImport } from "vite";
import { repairs } from "./repairs.mjs";
import { median, table } from "./timing.mjs";

setTracingDisabled(true);
// The measurements below never yield to the event loop, so core's compiler could not load there.

const SCHEMA = {
  type: "object",
  properties: {
    title: { type: "string", maxLength: 200 },
    state: { enum: ["open", "closed"] },
    count: { type: "integer", minimum: 0 },
    items: {
      type: "array",
      items: {
        type: "object",
        properties: {
          id: { type: "integer" },
          name: { type: "string" },
          done: { type: "boolean" },
        },
        required: ["id", "name", "done"],
        additionalProperties: false,
      },
    },
  },
  required: ["title", "state", "count", "items"],
  additionalProperties: false,
};
const ARGS = {
  title: "Weekly report",
  state: "open",
  count: 20,
  items: Array.from({ length: 20 }, (_, id) => ({
    id,
    name: `the item of ${id}`,
    done: id % 2 === 0,
  })),
};
const TEXT = JSON.stringify(ARGS);

const context = { toolUse: { type: "tool_use", id: "1", name: "tool", input: ARGS } };
const run = async () => "done";

/** By SDK: a bare and a checked call, each a function of a schema and a handler. */
const SDKS = {
  "@anthropic-ai/sdk": {
    bare: (inputSchema, handler) => {
      const tool = betaTool({ name: "tool", description: "d", inputSchema, run: handler });
      return async (args) => (await runRunnableTool(tool, args, context)).content;
    },
    checked: (inputSchema, handler) => {
      const definition = { name: "tool", description: "d", inputSchema, run: handler };
      const tool = anthropic.checkedTool(definition, { ToolError });
      return async (args) => (await runRunnableTool(tool, args, context)).content;
    },
  },
  ai: {
    bare: (schema, handler) => aiCall(jsonSchema(schema), handler),
    checked: (schema, handler) => {
      const sdk = { jsonSchema, TypeValidationError };
      return aiCall(ai.checkedSchema(sdk, schema, { name: "tool" }), handler);
    },
  },
  "@openai/agents": {
    bare: (parameters, handler) => {
      const tool = openAiTool({
        name: "tool",
        description: "d",
        parameters,
        strict: false,
        execute: handler,
      });
      return (args) => tool.invoke(new RunContext(), JSON.stringify(args));
    },
    checked: (parameters, handler) => {
      const definition = {
        name: "tool",
        description: "d",
        parameters,
        strict: false,
        execute: handler,
      };
      const tool = openai.checkedTool(openAiTool, definition);
      return (args) => tool.invoke(new RunContext(), JSON.stringify(args));
    },
  },
  "@langchain/core": {
    bare: (schema, handler) => {
      const tool = langChainTool(handler, { name: "tool", description: "d", schema });
      return (args) => tool.invoke(args);
    },
    checked: (schema, handler) => {
      const tool = langChainTool(handler, { name: "tool", description: "d", schema });
      const wrapped = langchain.withValidation(tool);
      return (args) => wrapped.invoke(args);
    },
  },
};

/** Does what the AI SDK does with the arguments of a call before it runs the tool. */
function aiCall(schema, handler) {
  const { validate } = asSchema(schema);
  return async (args) => {
    const result = validate === undefined ? { success: true, value: args } : await validate(args);
    if (!result.success) throw result.error;
    return handler(result.value);
  };
}

const ROUNDS = 45;

async function once(call, calls) {
  const started = performance.now();
  for (let i = 0; i < calls; i += 1) await call(ARGS);
  return ((performance.now() - started) * 1000) / calls;
}

async function speed() {
  const parse = async () => JSON.parse(TEXT);
  const rows = [];
  for (const [name, { bare, checked }] of Object.entries(SDKS)) {
    const runs = [bare(SCHEMA, run), checked(SCHEMA, run), parse];
    const times = runs.map(() => []);
    for (let round = 0; round < ROUNDS + 10; round += 1) {
      for (let i = 0; i < runs.length; i += 1) {
        const at = (i + round) % runs.length;
        const took = await once(runs[at], 300);
        // The first rounds warm up.
        if (round >= 10) times[at].push(took);
      }
    }
    const [before, after, parsed] = times.map(median);
    // Compared round by round: other load on the machine affects both times of a round.
    const added = median(times[1].map((took, round) => took - times[0][round]));
    rows.push([
      name,
      ...[before, after, added, parsed].map((us) => us.toFixed(2)),
      (added / parsed).toFixed(2),
    ]);
  }
  console.log(
    `One call with ${TEXT.length} bytes of arguments, microseconds, medians of ${ROUNDS} rounds`,
  );
  table(["SDK", "bare", "checked", "added", "JSON.parse", "added / JSON.parse"], rows);
}

async function told(make, { schema, args }) {
  let ran = false;
  const handler = async () => {
    ran = true;
    return "the handler ran";
  };
  try {
    const content = await make(schema, handler)(args);
    return { ran, text: typeof content === "string" ? content : JSON.stringify(content) };
  } catch (error) {
    return { ran, text: error.message };
  }
}

async function texts() {
  const { module } = await runnerImport(
    new URL("../../packages/core/src/report/render/testing/bad-calls.ts", import.meta.url).pathname,
  );
  const rows = [];
  for (const [name, { bare, checked }] of Object.entries(SDKS)) {
    for (const [kind, make] of [
      ["bare", bare],
      ["checked", checked],
    ]) {
      let handlers = 0;
      let facts = 0;
      let whole = 0;
      for (const call of module.BAD_CALLS) {
        const { ran, text } = await told(make, call);
        const missing = call.facts.filter((fact) =>
          typeof fact === "string" ? !text.includes(fact) : !fact.test(text),
        );
        if (ran) handlers += 1;
        facts += call.facts.length - missing.length;
        if (missing.length === 0) whole += 1;
        console.log(`--- ${call.name}: ${name}, ${kind}\n${text}`);
      }
      const all = module.BAD_CALLS.flatMap((call) => call.facts).length;
      rows.push([`${name}, ${kind}`, handlers, `${facts} of ${all}`, whole]);
    }
  }
  const calls = module.BAD_CALLS.length;
  console.log("");
  table([`of ${calls} bad calls`, "handler ran", "facts told", "calls with all facts told"], rows);
}

const { values } = parseArgs({ options: { texts: { type: "boolean", default: false } } });
await (values.texts ? texts() : speed());
if (!values.texts) repairs(SCHEMA, ARGS);
