import type { ValidationFault } from "../server/fault.ts";
import type { ToolValidationOptions } from "../server/options.ts";
import { withToolValidation } from "../server/with-tool-validation.ts";
import { call, connect, SERVERS, type TestClient, type TestTool } from "./sdk.ts";

export const GOOD = { path: "/a" };

/** Returns a function that starts servers that validate, each with a client. Adds them to `open`, to be closed. */
export function starter(open: { close(): unknown }[]) {
  return async function start(
    options: ToolValidationOptions = {},
    tools?: readonly TestTool[],
    kind = "v2 Server",
  ) {
    const made = SERVERS[kind]?.(tools);
    if (made === undefined) throw new Error(kind);
    const faults: ValidationFault[] = [];
    const onFault = (fault: ValidationFault) => faults.push(fault);
    const server = withToolValidation(made.server, { onFault, ...options });
    const client: TestClient = await connect("v2", server);
    open.push(client, made.server);
    const validate = async (args: object, rest: object = {}) =>
      (await call(client, "validate", { tool: "write_file", arguments: args, ...rest }))[
        "structuredContent"
      ];
    return { ...made, client, faults, validate };
  };
}

/** Returns the announcement of validation that a client received. */
export const announced = (client: TestClient): object =>
  (client.getServerCapabilities() as { experimental: { toolValidation: object } }).experimental
    .toolValidation;
