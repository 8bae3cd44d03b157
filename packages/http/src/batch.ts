import {
  arrayItems,
  type Check,
  compileOwn,
  encodeUtf8,
  type JsonRange,
  type JsonScan,
  jsonText,
  scanJsonSteps,
} from "@touchstone/core/advanced";
import { notFoundText } from "./answers/errors.ts";
import { json } from "./answers/respond.ts";
import {
  jsonFault,
  type KeyLimits,
  nextTurn,
  resultOf,
  runInTurns,
  scanText,
  validateScanned,
  type WrittenCheckOptions,
} from "./check-response.ts";
import { tooManyKeysCheck } from "./judge.ts";
import { type ApiRequest, wantedRepairs, wantsDetail } from "./request/request.ts";
import { refused } from "./result.ts";
import type { Tools } from "./tools.ts";
import { NO_TOOLS, refuseBody, refuseRepairs, type Validation } from "./validate.ts";

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
          arguments: { description: "What to check; {} if it is absent." },
        },
      },
    },
  },
};
const batch = compileOwn(BATCH_SCHEMA);
/** The deepest text that the scanner reads; the judge has its own limit for arguments. */
const MAX_DEPTH = 10_000;
const EMPTY = encodeUtf8("{}");
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/** One of the calls of a batch, as far as it was read before its check. */
interface Item {
  /** The source text of `tool`; undefined if there is none. */
  readonly tool: string | undefined;
  readonly text: Uint8Array;
  /** The JSON text of the item if it is not an object. */
  readonly other: string | undefined;
  /** Set if the object itself has too many keys to be read. */
  readonly over: Check | undefined;
}

/** Returns a short JSON text of the same type as a value, for values of which only the type matters. */
function typed(bytes: Uint8Array, { start, end }: JsonRange): string {
  if (bytes[start] === OPEN_OBJECT) return "{}";
  return bytes[start] === OPEN_ARRAY ? "[]" : jsonText(bytes, { start, end });
}

/** Reads the calls of a batch, at most one more than allowed. */
function* readItems(
  bytes: Uint8Array,
  calls: JsonRange,
  { maxObjectKeys, maxKeys }: KeyLimits,
): Generator<void, readonly Item[], void> {
  const items: Item[] = [];
  for (const range of arrayItems(bytes, calls)) {
    yield;
    const item = bytes.subarray(range.start, range.end);
    if (item[0] !== OPEN_OBJECT) {
      items.push({ tool: undefined, text: EMPTY, other: typed(bytes, range), over: undefined });
    } else {
      const scan = yield* scanJsonSteps(item, {
        members: MEMBERS,
        ...PLAIN,
        maxObjectKeys,
        maxKeys,
      });
      const tool = scan.members.get("/tool");
      const args = scan.members.get("/arguments");
      items.push({
        tool: tool && typed(item, tool),
        text: args === undefined ? EMPTY : item.subarray(args.start, args.end),
        other: undefined,
        over: scan.error?.isPlanned === true ? tooManyKeysCheck(scan) : undefined,
      });
    }
    if (items.length > MAX_CALLS) break;
  }
  return items;
}

/**
 * The members of a call that are located. Arguments are checked separately, so the check of the whole batch needs no
 * others.
 */
const MEMBERS = { tool: true, arguments: true } as const;
const PLAIN = { duplicates: true, maxDepth: MAX_DEPTH } as const;

/** Returns the text of a batch without its arguments, for the schema of a batch, which does not check them. */
function envelopeOf(items: readonly Item[]): string {
  const calls = items.map(({ tool, other, over }) => {
    if (over !== undefined) return '{"tool":""}';
    return other ?? (tool === undefined ? "{}" : `{"tool":${tool}}`);
  });
  return `{"calls":[${calls.join(",")}]}`;
}

/** Does the same for a body that is not a batch: it has no list of calls, or nests too deep to be read. */
function envelopeWithout(
  bytes: Uint8Array,
  { error, members, root }: JsonScan,
): string | Uint8Array {
  if (error !== undefined) return bytes;
  const calls = members.get("/calls");
  return calls === undefined ? typed(bytes, root) : `{"calls":${typed(bytes, calls)}}`;
}

async function judgeAll(
  validation: Validation,
  tools: Tools | undefined,
  calls: readonly Item[],
  told: Omit<WrittenCheckOptions, "maxIssues">,
): Promise<string[]> {
  const { judge, maxIssues, whyMissing } = validation;
  const results: string[] = [];
  // All lists of failures together may be as long as the list of a single call, but each may have at least one failure.
  let most = maxIssues;
  for (const { tool: written, text, over } of calls) {
    await nextTurn();
    if (told.left.aborted) break;
    if (over !== undefined) {
      results.push(JSON.stringify(resultOf(over)));
      most -= 1;
      continue;
    }
    const name = written === undefined ? "" : (JSON.parse(written) as string);
    const tool = tools?.get(name);
    if (tool === undefined) {
      const missing = refused(notFoundText(name, whyMissing(name)));
      results.push(JSON.stringify(tools === undefined ? NO_TOOLS : missing));
      continue;
    }
    const options = { ...told, maxIssues: Math.max(1, most) };
    const scan = await scanText(text, tool, validation);
    const result = await validateScanned(judge, tool, text, scan, options);
    most -= result.failures;
    results.push(result.text);
  }
  return results;
}

/**
 * `POST /validate`: checks many calls at once. The body is `{"calls":[{"tool","arguments"}]}`, at most {@link
 * MAX_CALLS}. The response `{"results":[…]}` has, in the same order, what `POST /tools/{name}/validate` returns with
 * 200, and for an unknown tool a result that says so. Checks in this order: 413, 400 for a body that is not JSON or
 * not a batch, 200.
 */
export async function validateBatch(
  validation: Validation,
  request: ApiRequest,
): Promise<Response> {
  const body = await request.read(validation.maxBodyBytes);
  if (!body.ok) return refuseBody(body);
  const wanted = wantedRepairs(request);
  if ("unknown" in wanted) return refuseRepairs(wanted.unknown);
  const { bytes } = body;
  const scan = await runInTurns(scanJsonSteps(bytes, { members: { calls: true } }));
  const fault = jsonFault(scan);
  if (fault !== undefined) return json(400, JSON.stringify(fault));
  const calls = scan.members.get("/calls");
  const isList = calls !== undefined && bytes[calls.start] === OPEN_ARRAY;
  const items = isList ? await runInTurns(readItems(bytes, calls, validation)) : [];
  const check = batch.validateText(isList ? envelopeOf(items) : envelopeWithout(bytes, scan), {
    maxBytes: Number.MAX_SAFE_INTEGER,
    maxDepth: MAX_DEPTH,
    maxIssues: validation.maxIssues,
  });
  if (!check.valid) return json(400, JSON.stringify(resultOf(check)));
  const { signal: left } = request.incoming;
  const options = { detail: wantsDetail(request), repair: wanted.kinds, left };
  const tools = await validation.tools(left);
  const results = await judgeAll(validation, tools, items, options);
  return json(200, `{"results":[${results.join(",")}]}`);
}
