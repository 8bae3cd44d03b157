import { json } from "./respond.ts";

/**
 * Every response that reports an error of the request or the host instead of a verdict: its status, and its text as
 * `{"error": text}`.
 *
 * - 404 `toolNotFound`: no tool has this name. GET /tools lists them. The host may add why it is not listed.
 * - 404 `notFound`: nothing is served at this path.
 * - 405 `methodNotAllowed`: `Allow` names the methods.
 * - 403 `executionDisabled`: the host has not set `allowExecute`.
 * - 401 `unauthorized`: the host's hook rejected the request.
 * - 413 `tooLarge`: the body is beyond `maxBodyBytes`.
 * - 415 `unsupportedType`: arguments must be sent as application/json, which a page of another origin cannot do without
 *   a preflight.
 * - 400 `invalidBody`: the body of a call is not JSON text, or of a batch no batch.
 * - 400 `invalidQuery`: `?repair=` of a call names something that is not a repair.
 * - 499 `clientLeft`: the request was aborted; nobody reads this.
 * - 500 `toolsUnavailable`, `undecided`, `internal`: the host's side failed; its `onFault` was told why.
 */
export const errors: {
  readonly toolNotFound: (name: string, why?: string) => Response;
  readonly notFound: (path: string) => Response;
  readonly methodNotAllowed: (allow: string) => Response;
  readonly executionDisabled: () => Response;
  readonly unauthorized: () => Response;
  readonly tooLarge: (detail: string) => Response;
  readonly unsupportedType: () => Response;
  readonly invalidBody: (detail: string) => Response;
  readonly invalidQuery: (detail: string) => Response;
  readonly clientLeft: () => Response;
  readonly toolsUnavailable: () => Response;
  readonly undecided: () => Response;
  readonly internal: () => Response;
} = {
  toolNotFound: (name, why) => error(404, notFoundText(name, why)),
  notFound: (path) => error(404, `Nothing is served at ${path}. GET /tools lists the tools.`),
  methodNotAllowed: (allow) => error(405, `Method not allowed. Use one of: ${allow}.`, { allow }),
  executionDisabled: () => error(403, "Tool execution is disabled."),
  unauthorized: () => error(401, "Unauthorized"),
  tooLarge: (detail) => error(413, detail),
  unsupportedType: () =>
    error(415, "Send the arguments as application/json in UTF-8, without a content encoding."),
  invalidBody: (detail) => error(400, detail),
  invalidQuery: (detail) => error(400, detail),
  clientLeft: () => error(499, "The request was aborted."),
  toolsUnavailable: () => error(500, "The list of tools is not available. Try again later."),
  undecided: () =>
    error(
      500,
      "The server could not decide in time whether this call is allowed. Try again later.",
    ),
  internal: () => error(500, "Internal error."),
};

/** Returns the text for a tool that is not listed. @param why sentences of the host's about it */
export function notFoundText(name: string, why?: string): string {
  return `Tool not found: ${name}${why === undefined ? "" : `. ${why}`}`;
}

function error(status: number, text: string, headers?: Readonly<Record<string, string>>): Response {
  return json(status, JSON.stringify({ error: text }), headers);
}
