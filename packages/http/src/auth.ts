import { errors } from "./answers/errors.ts";
import type { AuthHook, IncomingRequest } from "./call-types.ts";
import type { FaultListener } from "./fault.ts";

/** A response of this or another implementation of the Fetch standard. */
function isResponse(value: unknown): value is Response {
  if (value instanceof Response) return true;
  if (typeof value !== "object" || value === null) return false;
  const { status, headers, arrayBuffer } = value as Partial<Response>;
  return (
    typeof status === "number" &&
    typeof headers?.get === "function" &&
    typeof arrayBuffer === "function"
  );
}

/**
 * Runs a call behind the host's hook. The hook's own response is the answer; one that called `next`
 * and gives nothing means what `next` answered. Any throw is a 401, also after `next`: the tool may
 * have run, but the hook did not want its answer to be seen. Never rejects.
 * @param run runs the call; never rejects
 */
export async function behindHook(
  hook: AuthHook,
  request: IncomingRequest,
  run: () => Promise<Response>,
  report: FaultListener,
): Promise<Response> {
  let answer: Promise<Response> | undefined;
  const next = (): Promise<Response> => {
    answer ??= run();
    return answer;
  };
  try {
    const given: unknown = await hook(request, next);
    if (isResponse(given)) return given;
    if (answer !== undefined) return await answer;
    const message = "the auth hook neither called next nor gave a response";
    report({ code: "unauthorized", message, cause: given });
  } catch (cause) {
    report({ code: "unauthorized", message: "the auth hook threw", cause });
  }
  return errors.unauthorized();
}
