import { type CheckLater, withoutThrowing } from "@touchstone/core/advanced";
import { errors } from "./answers/errors.ts";
import { json, jsonInParts } from "./answers/respond.ts";
import { validateBatch } from "./batch.ts";
import { call, type Execution } from "./call.ts";
import type { ToolCallHandler } from "./call-types.ts";
import type { FaultListener } from "./fault.ts";
import { createJudge, judgeOf } from "./judge.ts";
import { openapi } from "./openapi.ts";
import { readOptions, type Settings, typeMismatchText, type UIConfig } from "./options.ts";
import { assetResponse, pageResponse } from "./page/page.ts";
import { type ApiRequest, header } from "./request/request.ts";
import { type Kind, mayMeanAction } from "./request/route.ts";
import type { ToolsProvider } from "./tool.ts";
import { askTools, encodeDetail, encodeList, type Tools } from "./tools.ts";
import { type Validation, validate } from "./validate.ts";

/** The API without its paths: one function for each kind of resource. None of them rejects. */
export interface Api {
  readonly settings: Settings;
  readonly report: FaultListener;
  page(request: ApiRequest): Promise<Response>;
  asset(request: ApiRequest, name: string): Promise<Response>;
  openapi(): Promise<Response>;
  list(request: ApiRequest): Promise<Response>;
  /** @param path below the prefix, percent-encoded */
  describe(request: ApiRequest, name: string, path: string): Promise<Response>;
  validate(request: ApiRequest, name: string): Promise<Response>;
  validateBatch(request: ApiRequest): Promise<Response>;
  call(request: ApiRequest, name: string): Promise<Response>;
  /** The response to a name whose percent-encoding is broken. */
  malformed(kind: Kind, name: string): Promise<Response>;
}

async function describe(
  tools: Tools | undefined,
  name: string,
  path: string,
  { report, whyMissing }: Pick<Execution & Validation, "report" | "whyMissing">,
): Promise<Response> {
  if (tools === undefined) return errors.toolsUnavailable();
  const tool = tools.get(name);
  if (tool !== undefined) return json(200, encodeDetail(tool, report));
  return mayMeanAction(path)
    ? errors.methodNotAllowed("POST, OPTIONS")
    : errors.toolNotFound(name, whyMissing(name));
}

/**
 * Assembles the API.
 * @param later makes checks that take more than a few milliseconds
 * @throws OptionError for an invalid option, TypeError if `tools` or `handleCall` has the wrong type
 */
export function createApi(
  tools: ToolsProvider,
  handleCall: ToolCallHandler,
  config: UIConfig | undefined,
  later?: CheckLater,
): Api {
  if (!Array.isArray(tools) && typeof tools !== "function") {
    throw new TypeError(
      `tools ${typeMismatchText("a list of tools, or a function that returns one", tools)}`,
    );
  }
  if (typeof handleCall !== "function") throw new TypeError("handleCall must be a function");
  const settings = readOptions(config);
  const { maxBodyBytes, maxDepth, maxIssues, paths, hostTimeoutMs } = settings;
  const { maxObjectKeys, maxKeys } = settings;
  const { checks, repair, onRepaired } = settings;
  const { allowExecute, authHook, admit, onRefused, toolErrorStatus, callTimeoutMs } = settings;
  const report = withoutThrowing(settings.onFault);
  const ask = (left: AbortSignal): Promise<Tools | undefined> =>
    askTools(tools, { left, hostTimeoutMs, report });
  const judging = { maxBytes: maxBodyBytes, maxDepth, maxIssues, paths, checks, report };
  const judge =
    settings.judge === undefined
      ? createJudge(judging, later)
      : judgeOf(settings.judge, { maxIssues, report, hostTimeoutMs });
  const limits = { maxBodyBytes, maxIssues, maxObjectKeys, maxKeys };
  const whyMissing = (name: string): string | undefined => {
    try {
      const why: unknown = settings.whyMissing?.(name);
      return typeof why === "string" ? why : undefined;
    } catch (cause) {
      report({ code: "internal", message: "whyMissing threw", tool: name, cause });
      return undefined;
    }
  };
  const validation: Validation = { tools: ask, judge, whyMissing, ...limits };
  const running = { handleCall, report, allowExecute, authHook, admit, onRefused };
  const execution: Execution = {
    ...{ ...validation, ...running, toolErrorStatus },
    ...{ callTimeoutMs, hostTimeoutMs, repair, onRepaired },
  };
  const document = openapi(settings);
  return {
    settings,
    report,
    page: ({ clientPath, incoming: { signal } }) =>
      pageResponse(settings, clientPath, () => ask(signal)),
    asset: async (request, name) =>
      assetResponse(settings, name, header(request, "accept-encoding")),
    openapi: async () => json(200, document),
    async list({ incoming: { signal } }) {
      const found = await ask(signal);
      return found === undefined
        ? errors.toolsUnavailable()
        : jsonInParts(await encodeList(found, report));
    },
    describe: async ({ incoming: { signal } }, name, path) =>
      describe(await ask(signal), name, path, { report, whyMissing }),
    validate: (request, name) => validate(validation, request, name),
    validateBatch: (request) => validateBatch(validation, request),
    call: (request, name) => call(execution, request, name),
    malformed: async (kind, name) =>
      kind === "call" && !allowExecute ? errors.executionDisabled() : errors.toolNotFound(name),
  };
}
