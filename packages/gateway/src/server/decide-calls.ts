import {
  arrayItems,
  type Check,
  encodeUtf8,
  jsonText,
  locatePointers,
  type RepairedText,
  type RepairKind,
  SchemaCache,
} from "@touchstone/core";
import { LATEST_LEGACY } from "@touchstone/protocol";
import { NO_CONTRACTS } from "../contracts/store.ts";
import { checkOf, repairedText } from "../pipeline/decided.ts";
import { DEFAULT_SETTINGS, type Decision, type ValidationSettings } from "../policy/settings.ts";
import { ServerRuntime } from "../upstreams/server-runtime.ts";
import { createLogger } from "../util/log.ts";

/** A server whose calls are decided about. */
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

/** The decision about the arguments of a call, by `strict`. */
export interface DecidedArguments {
  readonly decision: Decision;
  /** What is wrong, as it counts: `valid` is false exactly if there are errors. */
  readonly check: Check;
  /** The arguments to send, if the decision is `repaired`. */
  readonly repaired?: RepairedText | undefined;
}

/**
 * Returns a function that decides about calls of one server as a gateway with these settings does: a call takes the way
 * of every message through the pipeline, and is not sent. For a program that calls the server itself, so the mode of
 * `input_validation` counts as `strict`, and `pin` and `adapt` do not count. Nothing is recorded.
 */
export async function decideCalls({
  name,
  settings = DEFAULT_SETTINGS,
  tools = new Map(),
  pages,
}: ListedServer): Promise<(call: CallToDecide) => Promise<DecidedArguments>> {
  const ofTools = new Map([...tools].map(([tool, set]) => [tool, forOneCaller(set)]));
  const runtime = new ServerRuntime(
    { name, settings: forOneCaller(settings), tools: ofTools },
    {
      activity: { append: async () => [], close: async () => {} },
      contracts: NO_CONTRACTS,
      cache: new SchemaCache(),
      log: createLogger(() => {}, "silent"),
    },
  );
  await learn(runtime, pages);
  return async ({ tool, arguments: args, repair }) => {
    const decision = runtime.decision({ by: "strict", caller: undefined });
    const decided = await decision.arguments({ tool, arguments: args, repair });
    await decision.end();
    const { decision: what } = decided;
    return { decision: what, check: checkOf(decided), repaired: repairedText(decided) };
  };
}

/** Whoever calls may repair the arguments in any mode, sees the server's own list, and approves by calling. */
function forOneCaller({ pin: _, adapt: __, ...set }: ValidationSettings): ValidationSettings {
  const { input } = set;
  return {
    ...set,
    input: { ...input, mode: "strict", repair: input.mode === "off" ? [] : input.repair },
  };
}

/** Shows a server's list to its runtime as one page. */
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
