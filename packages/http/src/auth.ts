import { errors } from "./answers/errors.ts";
import type { AuthHook, IncomingRequest } from "./call-types.ts";
import type { FaultListener } from "./fault.ts";
import { TIMED_OUT, TimeLimit } from "./time-limit.ts";

/** Returns whether a value is a response, of this or another implementation of the Fetch standard. */
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

/** How to run a hook. */
export interface AuthHookOptions {
  readonly report: FaultListener;
  /** How long the hook may take, in milliseconds, without the call. */
  readonly hostTimeoutMs: number;
}

/**
 * Runs a call behind the host's hook. Returns the hook's response; if the hook called `next` and returns nothing, the
 * response of `next`. Any error is a 401, even after `next`: the tool may have run, but the hook did not want its
 * response to be seen. If a hook does not end in time, the response is a 500, and a later call of `next` runs nothing.
 * Never rejects.
 * @param run runs the call; never rejects
 */
export async function runAuthHook(
  hook: AuthHook,
  request: IncomingRequest,
  run: () => Promise<Response>,
  { report, hostTimeoutMs }: AuthHookOptions,
): Promise<Response> {
  let answer: Promise<Response> | undefined;
  const limit = new TimeLimit(hostTimeoutMs, request.signal);
  const next = (): Promise<Response> => {
    if (answer === undefined) {
      if (limit.isOver) return Promise.resolve(errors.undecided());
      limit.pause();
      answer = run().finally(() => limit.resume());
    }
    return answer;
  };
  try {
    const decision = hook({ ...request, signal: limit.signal }, next);
    const given: unknown = await Promise.race([decision, limit.over]);
    if (given === TIMED_OUT) {
      const message = `the auth hook did not end within ${hostTimeoutMs} ms, not counting the call`;
      report({ code: "auth_timeout", message });
      return errors.undecided();
    }
    if (isResponse(given)) return given;
    if (answer !== undefined) return await answer;
    const message = "the auth hook neither called next nor returned a response";
    report({ code: "unauthorized", message, cause: given });
  } catch (cause) {
    report({ code: "unauthorized", message: "the auth hook threw", cause });
  } finally {
    limit.end();
  }
  return errors.unauthorized();
}
