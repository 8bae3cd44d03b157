import {
  arrayItems,
  type Check,
  encodeUtf8,
  type Issue,
  jsonText,
  locatePointers,
  type RepairedText,
  type RepairKind,
  SchemaCache,
} from "@touchstone/core/advanced";
import { LATEST_LEGACY } from "@touchstone/protocol/advanced";
import { NO_CONTRACTS } from "@touchstone/records/plain";
import { createLogger } from "@touchstone/util";
import { effectiveCheck, repairedText } from "../pipeline/decided.ts";
import { ServerRuntime } from "../relay/server-runtime.ts";
import {
  DEFAULT_SETTINGS,
  type Decision,
  type ValidationSettings,
} from "../settings/validation.ts";

/** A server for whose calls to make decisions. */
export interface ListedServer {
  readonly name: string;
  /** Its settings; defaults if no configuration names it. */
  readonly settings?: ValidationSettings | undefined;
  /** Settings of tools that differ from the server's. */
  readonly tools?: ReadonlyMap<string, ValidationSettings> | undefined;
  /** The results of its responses to `tools/list`, as JSON. */
  readonly pages: readonly string[];
}

/** The arguments of a call. */
export interface CallToDecide {
  readonly tool: string;
  /** JSON in UTF-8. */
  readonly arguments: Uint8Array;
  readonly repair?: readonly RepairKind[] | undefined;
}

/** The decision about the arguments of a call, as in `strict`. */
export interface DecidedArguments {
  readonly decision: Decision;
  /** The issues in their effective form: `valid` is false exactly if there are errors. */
  readonly check: Check;
  /** The arguments to send, if the decision is `repaired`. */
  readonly repaired?: RepairedText | undefined;
  /** What the gateway returns to the model, if the decision is `blocked`. */
  readonly text?: string | undefined;
}

/** Decides about calls of one server. */
export interface CallDecider {
  arguments(call: CallToDecide): Promise<DecidedArguments>;
  /**
   * Returns the check of a result by the tool's output schema, in its effective form in `strict`: `valid` is false if
   * the gateway blocks the result, or could not check it. Undefined if the gateway checks nothing: the tool has no
   * output schema, or the result is an error.
   * @param result an MCP `CallToolResult`: JSON in UTF-8
   */
  result(tool: string, result: Uint8Array): Promise<Check | undefined>;
}

/**
 * Returns an object that decides about calls of one server as a gateway with these settings does: arguments and
 * results run through the pipeline like every message, and are not sent. It is for a program that calls the server
 * itself, so the modes of `input_validation` and `output_validation` count as `strict`, and `pin` and `adapt` do not
 * apply. Nothing is recorded.
 */
export async function decideCalls(server: ListedServer): Promise<CallDecider> {
  const runtime = await listed(server, forOneCaller);
  let ofResults: Promise<ServerRuntime> | undefined;
  return {
    arguments: async ({ tool, arguments: args, repair }) => {
      const decision = runtime.decision({ by: "strict", caller: undefined });
      const decided = await decision.arguments({ tool, arguments: args, repair });
      await decision.end();
      const { decision: what, text } = decided;
      const check = effectiveCheck(decided);
      return { decision: what, check, repaired: repairedText(decided), text };
    },
    result: async (tool, result) => {
      ofResults ??= listed(server, forResults);
      const decision = (await ofResults).decision({ by: "result", caller: undefined });
      await decision.arguments({ tool });
      const decided = await decision.result(result);
      await decision.end();
      if (decided.judged?.check.outcome === "missing") {
        return missing(decided.decision === "blocked");
      }
      const check = effectiveCheck(decided);
      return check.outcome === "skipped" ? undefined : check;
    },
  };
}

/** Returns the check of a result without the structured content that its output schema is for. */
function missing(isBlocked: boolean): Check {
  const message = "the tool declares an output schema and returned no structuredContent";
  const issues: Issue[] = [{ path: "", message, rule: "required" }];
  const [errors, warnings] = isBlocked ? [issues, []] : [[], issues];
  const counts = { required: 1 };
  return { valid: !isBlocked, outcome: "missing", errors, warnings, suggestions: [], counts };
}

/** Returns a server that has listed its tools, with other settings. */
async function listed(
  { name, settings = DEFAULT_SETTINGS, tools = new Map(), pages }: ListedServer,
  as: (set: ValidationSettings) => ValidationSettings,
): Promise<ServerRuntime> {
  const ofTools = new Map([...tools].map(([tool, set]) => [tool, as(set)]));
  const runtime = new ServerRuntime(
    { name, settings: as(settings), tools: ofTools },
    {
      activity: { append: async () => [], close: async () => {} },
      contracts: NO_CONTRACTS,
      cache: new SchemaCache(),
      log: createLogger(() => {}, "silent"),
    },
  );
  await learn(runtime, pages);
  return runtime;
}

/**
 * The calling program may repair the arguments in any mode, sees the server's own list, and approves tools by calling
 * them.
 */
function forOneCaller({ pin: _, adapt: __, ...set }: ValidationSettings): ValidationSettings {
  const { input } = set;
  return {
    ...set,
    input: { ...input, mode: "strict", repair: input.mode === "off" ? [] : input.repair },
  };
}

/** Turns off the checks of the arguments and of the message: only the schema of the result counts. */
function forResults({ input, output, protocol }: ValidationSettings): ValidationSettings {
  return {
    input: { ...input, mode: "off" },
    output: { ...output, mode: "strict" },
    protocol: { ...protocol, mode: "off" },
  };
}

/** Passes a server's list to its runtime as one page. */
async function learn(runtime: ServerRuntime, pages: readonly string[]): Promise<void> {
  const conversation = { ...runtime.ownConversation(), revision: LATEST_LEGACY.version };
  const pipeline = runtime.pipeline(conversation, () =>
    Promise.reject(new Error("nothing is asked of the server")),
  );
  const tools = pages.flatMap(toolTexts).join(",");
  const { passage } = await pipeline.fromClient(
    pipeline.read(encodeUtf8('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')),
  );
  await passage;
  const answer = `{"jsonrpc":"2.0","id":1,"result":{"tools":[${tools}]}}`;
  await pipeline.fromServer(pipeline.read(encodeUtf8(answer)));
  await pipeline.end("the list is known");
}

/** Returns the texts of the tools on a page, with numbers as they were written. */
function toolTexts(page: string): readonly string[] {
  const bytes = encodeUtf8(page);
  const place = locatePointers(bytes, ["/tools"]).get("/tools");
  if (place?.found !== true) return [];
  return [...arrayItems(bytes, place.value)].map((range) => jsonText(bytes, range));
}
