import { TouchstoneError } from "@touchstone/util";
import type { ConfigFault } from "../../config/faults.ts";

/** The reasons why the admin API refuses a request. */
export const ADMIN_ERRORS = {
  BAD_REQUEST: [400, "The body is invalid, or the change in it cannot take effect"],
  TOKEN_REQUIRED: [401, "A change needs the role `admin`, and the request has no key"],
  SIGN_IN_FAILED: [
    401,
    "The key or the code is unknown, the code is used or older than 60 s, or the person has no role",
  ],
  SIGN_IN_REFUSED: [
    403,
    "The code of a link is unknown, used, or older than 60 s; or the console did not send the request",
  ],
  NOT_FOUND: [404, "The resource or the server does not exist"],
  METHOD_NOT_ALLOWED: [
    405,
    "The resource does not support the method; `Allow` names those that it does",
  ],
  TOO_LARGE: [413, "The body is too large"],
  UNSUPPORTED_TYPE: [415, "The body is not `application/json`"],
  TOO_MANY_ATTEMPTS: [
    429,
    "Ten attempts to sign in from one address have failed within a minute; `Retry-After` says how long to wait",
  ],
  TOO_MANY_TESTS: [
    429,
    "Six tests of alerts were sent within a minute; `Retry-After` says how long to wait",
  ],
  NOT_EDITABLE: [409, "The configuration did not come from a file that can be edited"],
  ROLE_REQUIRED: [403, "The key does not have the role that the route needs; `role` names it"],
  SERVERS_LOCKED: [403, "`http.edit_servers` does not allow changes of servers over HTTP"],
  CONFIG_CHANGED: [409, "The file was changed since the edit was shown; nothing was written"],
  CONFIG_INVALID: [409, "The file on disk is invalid; nothing was written"],
  RELOAD_REFUSED: [409, "The gateway refuses the configuration; the file is unchanged"],
  WRITE_FAILED: [500, "The file cannot be written; it is unchanged"],
  STORE_UNREACHABLE: [503, "The store that the gateways share does not respond"],
  INTERNAL: [500, "A bug; see the gateway's log"],
} as const;

export type AdminErrorCode = keyof typeof ADMIN_ERRORS;

export interface AdminErrorDetail {
  /** What is wrong with the configuration, each with its place. */
  readonly faults?: readonly ConfigFault[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the error response. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** The response of the admin API to a refused request: `{error, code, faults?}`. */
export class AdminError extends TouchstoneError<AdminErrorCode> {
  readonly detail: AdminErrorDetail;

  constructor(code: AdminErrorCode, message: string, detail: AdminErrorDetail = {}) {
    super("AdminError", ADMIN_ERRORS, code, message);
    this.detail = detail;
  }
}
