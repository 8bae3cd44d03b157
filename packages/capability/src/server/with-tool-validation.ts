import { isObject } from "@touchstone/core/advanced";
import { validateToolDeclaration } from "../declaration.ts";
import { RpcError } from "../errors.ts";
import { ownMember } from "../object.ts";
import { addCapability } from "./capability.ts";
import { chooseName } from "./method-name.ts";
import { readOptions, type Settings, type ToolValidationOptions } from "./options.ts";
import { type Decorator, openServer, type RequestHandler } from "./sdk-server.ts";
import { ValidationService } from "./service.ts";

const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;

function announcing(service: ValidationService, settings: Settings): Decorator {
  return (handler) =>
    handler &&
    (async (request, context) =>
      addCapability(
        await handler(request, context),
        settings,
        await service.nameToAnnounce(context),
      ));
}

/** Returns the list with the validation tool at its end: on the last page, if there are several. */
function listing(service: ValidationService, { maxBatchSize }: Settings): Decorator {
  return (handler) => async (request, context) => {
    const result: unknown = handler === undefined ? { tools: [] } : await handler(request, context);
    const tools = ownMember(result, "tools");
    if (!isObject(result) || !Array.isArray(tools)) return result;
    const method = await service.name(context);
    const others = tools.filter((tool) => ownMember(tool, "name") !== method);
    if (others.length < tools.length) service.reportHidden(method);
    if (typeof result["nextCursor"] === "string") return { ...result, tools: others };
    return { ...result, tools: [...others, validateToolDeclaration({ method, maxBatchSize })] };
  };
}

const unknownTool: RequestHandler = (request) => {
  const name = ownMember(ownMember(request, "params"), "name");
  throw new RpcError(INVALID_PARAMS, `Tool ${JSON.stringify(name)} not found`);
};

function calling(service: ValidationService): Decorator {
  return (handler = unknownTool) =>
    async (request, context) => {
      const params = ownMember(request, "params");
      const name = ownMember(params, "name");
      // The server's tools are listed only if the call may be one of the validation tool, so other calls cost nothing.
      if (!service.mayBe(name) || name !== (await service.name(context))) {
        return handler(request, context);
      }
      if (ownMember(params, "task") !== undefined) {
        throw new RpcError(METHOD_NOT_FOUND, `${String(name)} cannot run as a task`);
      }
      return service.answer(ownMember(params, "arguments"), context);
    };
}

/**
 * Makes a server of the MCP TypeScript SDK offer the validation of tool calls: it announces
 * `experimental.toolValidation` in its `initialize` and `server/discover` results, lists the validation tool last,
 * and answers it from the tools' input schemas and the author's checks. The validation tool never runs a tool.
 * Everything else stays as it is.
 *
 * Call it before `connect()`; tools may be registered before or after. It uses the schemas of `tools/list`. These lack
 * the refinements of a Zod schema that JSON Schema cannot express: repeat such refinements in a check.
 *
 * @param server a `Server` or `McpServer` of `@modelcontextprotocol/sdk` 1.x or `@modelcontextprotocol/server` 2.x
 * @returns the same server
 * @throws CapabilityError for an invalid option, an object that is not such a server, one that is connected or
 *   wrapped already, and a `method` that is the name of a tool. A low-level server's tools are unknown at this time:
 *   there, a taken `method` fails the first `initialize`, `server/discover` or `tools/list` request.
 */
export function withToolValidation<S extends object>(
  server: S,
  options: ToolValidationOptions = {},
): S {
  const settings = readOptions(options);
  const sdk = openServer(server);
  chooseName(settings.method, (name) => sdk.registeredTools.includes(name));
  sdk.declareTools();
  const service = new ValidationService(sdk, settings);
  sdk.decorate({
    initialize: announcing(service, settings),
    "server/discover": announcing(service, settings),
    "tools/list": listing(service, settings),
    "tools/call": calling(service),
  });
  return server;
}
