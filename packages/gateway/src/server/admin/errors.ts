import type { ConfigFault } from "../../config/faults.ts";

/**
 * Why the admin API does not do what it is asked to.
 *
 * - `BAD_REQUEST` (400): the body is not what the resource takes, or what it asks for cannot hold
 * - `TOKEN_REQUIRED` (401): a change needs the token that was printed at the start
 * - `SIGN_IN_REFUSED` (403): the code of a link is unknown, used, or older than 60 s
 * - `NOT_FOUND` (404): there is no such resource, or no such server
 * - `METHOD_NOT_ALLOWED` (405): `Allow` names the methods
 * - `TOO_LARGE` (413), `UNSUPPORTED_TYPE` (415): of the body
 * - `NOT_EDITABLE` (409): the configuration did not come from a file that can be edited
 * - `CONFIG_INVALID` (409): the file as it is on disk does not hold; nothing was written
 * - `RELOAD_REFUSED` (409): the gateway cannot take the configuration; the file is as it was
 * - `WRITE_FAILED` (500): the file cannot be written; it is as it was
 * - `STORE_UNREACHABLE` (503): the store that the gateways share does not answer
 * - `INTERNAL` (500): a bug; the gateway's log says more
 */
export type AdminErrorCode =
  | "BAD_REQUEST"
  | "TOKEN_REQUIRED"
  | "SIGN_IN_REFUSED"
  | "NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "TOO_LARGE"
  | "UNSUPPORTED_TYPE"
  | "NOT_EDITABLE"
  | "CONFIG_INVALID"
  | "RELOAD_REFUSED"
  | "WRITE_FAILED"
  | "STORE_UNREACHABLE"
  | "INTERNAL";

const STATUS: Readonly<Record<AdminErrorCode, number>> = {
  BAD_REQUEST: 400,
  TOKEN_REQUIRED: 401,
  SIGN_IN_REFUSED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  TOO_LARGE: 413,
  UNSUPPORTED_TYPE: 415,
  NOT_EDITABLE: 409,
  CONFIG_INVALID: 409,
  RELOAD_REFUSED: 409,
  WRITE_FAILED: 500,
  STORE_UNREACHABLE: 503,
  INTERNAL: 500,
};

export interface AdminErrorDetail {
  /** What is wrong with the configuration, each with its place. */
  readonly faults?: readonly ConfigFault[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the admin API answers in the place of what it was asked for: `{error, code, faults?}`. */
export class AdminError extends Error {
  override readonly name: string = "AdminError";
  readonly code: AdminErrorCode;
  readonly detail: AdminErrorDetail;

  constructor(code: AdminErrorCode, message: string, detail: AdminErrorDetail = {}) {
    super(message);
    this.code = code;
    this.detail = detail;
  }

  /** The HTTP status. */
  get status(): number {
    return STATUS[this.code];
  }
}
