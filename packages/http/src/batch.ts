import {
  arrayItems,
  compileSchema,
  encodeUtf8,
  type JsonRange,
  jsonText,
  parseJson,
  scanJson,
} from "@touchstone/core";
import { json } from "./answers/answer.ts";
import { type ApiRequest, wantsDetail } from "./request/request.ts";
import { refused } from "./result.ts";
import type { Tools } from "./tools.ts";
import { NO_TOOLS, refuseBody, type Validation } from "./validate.ts";
import { jsonFault, resultOf, scanText, verdict } from "./verdict.ts";

/** Most calls in one batch. */
const MAX_CALLS = 1000;

/** The JSON Schema (2020-12) of a batch. */
export const BATCH_SCHEMA: object = {
  type: "object",
  required: ["calls"],
  properties: {
    calls: {
      type: "array",
      maxItems: MAX_CALLS,
      items: {
        type: "object",
        required: ["tool"],
        properties: {
          tool: { type: "string", description: "The tool's name." },
          arguments: { description: "What to judge; {} where it is absent." },
        },
      },
    },
  },
};
const batch = compileSchema({ value: BATCH_SCHEMA });
/** The deepest text that the scanner reads; arguments have their own limit, by the judge. */
const MAX_DEPTH = 10_000;
/** After this many milliseconds others get a turn, between two calls. */
const TURN_MS = 10;

const EMPTY = encodeUtf8("{}");

interface Item {
  readonly tool: string;
  readonly text: Uint8Array;
}

function* items(bytes: Uint8Array, calls: JsonRange): Generator<Item, void, undefined> {
  for (const { start, end } of arrayItems(bytes, calls)) {
    const item = bytes.subarray(start, end);
    const { members } = scanJson(item, { members: { tool: true, arguments: true } });
    const name = members.get("/tool");
    const tool = name === undefined ? undefined : parseJson(jsonText(item, name));
    const args = members.get("/arguments");
    yield {
      tool: tool?.ok === true ? String(tool.value) : "",
      text: args === undefined ? EMPTY : item.subarray(args.start, args.end),
    };
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

async function judgeAll(
  { judge, maxIssues }: Validation,
  tools: Tools | undefined,
  calls: Iterable<Item>,
  { detail, signal }: { detail: boolean; signal: AbortSignal },
): Promise<string[]> {
  const results: string[] = [];
  // All lists together are as long as the one of a single call may be, or have one failure each.
  let left = maxIssues;
  let since = performance.now();
  for (const { tool: name, text } of calls) {
    if (performance.now() - since > TURN_MS) {
      await turn();
      since = performance.now();
    }
    if (signal.aborted) break;
    const tool = tools?.get(name);
    if (tool === undefined) {
      const missing = refused(`Tool not found: ${name}`);
      results.push(JSON.stringify(tools === undefined ? NO_TOOLS : missing));
      continue;
    }
    const options = { detail, maxIssues: Math.max(1, left) };
    const scan = scanText(text, options);
    const result = await verdict(judge, tool, text, scan, options);
    left -= result.failures;
    results.push(result.text);
  }
  return results;
}

/**
 * `POST /validate`: judges many calls at once. The body is `{"calls":[{"tool","arguments"}]}`, at
 * most {@link MAX_CALLS}; the answer `{"results":[…]}` has, in the same order, what
 * `POST /tools/{name}/validate` answers with 200, and for an unknown tool a result that says so.
 * In this order: 413, 400 for what is no JSON or no batch, 200.
 */
export async function validateBatch(
  validation: Validation,
  request: ApiRequest,
): Promise<Response> {
  const body = await request.read(validation.maxBodyBytes);
  if (!body.ok) return refuseBody(body);
  const scan = scanJson(body.bytes, { members: { calls: true } });
  const fault = jsonFault(scan);
  if (fault !== undefined) return json(400, JSON.stringify(fault));
  const check = batch.check(body.bytes, {
    maxBytes: validation.maxBodyBytes,
    maxDepth: MAX_DEPTH,
    maxIssues: validation.maxIssues,
  });
  const calls = scan.members.get("/calls");
  if (!check.valid || calls === undefined) {
    return json(400, JSON.stringify(resultOf({ ...check, schemaWarnings: [] })));
  }
  const options = { detail: wantsDetail(request), signal: request.incoming.signal };
  const tools = await validation.tools(options.signal);
  const results = await judgeAll(validation, tools, items(body.bytes, calls), options);
  return json(200, `{"results":[${results.join(",")}]}`);
}
