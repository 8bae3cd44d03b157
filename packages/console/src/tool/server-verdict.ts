import { type ApiResponse, errorOf, refusalText } from "../api/client.ts";
import { placeOfByte, splitByte } from "../check/text-place.ts";

/** The server's response to `POST /tools/{name}/validate`. */
export type ServerVerdict =
  | { readonly kind: "valid" }
  | { readonly kind: "invalid"; readonly errors: readonly ServerError[]; readonly more: number }
  /** There is no verdict: `message` says why. */
  | { readonly kind: "none"; readonly message: string };

export interface ServerError {
  readonly path: string;
  readonly message: string;
  /** Line and column, if no pointer can give the place: the text is not JSON. */
  readonly place?: string;
}

const MAX_ERRORS = 100;

function inText({ path, message }: ServerError, sent: string): ServerError {
  const { what, offset } = splitByte(message);
  if (path !== "" || offset === undefined) return { path, message };
  return { path, message: what, place: placeOfByte(sent, offset).place };
}

function isError(value: unknown): value is ServerError {
  if (typeof value !== "object" || value === null) return false;
  const { path, message } = value as Partial<ServerError>;
  return typeof path === "string" && typeof message === "string";
}

/**
 * Reads a validation response. Never throws.
 * @param sent the text that was to be checked
 */
export function readServerVerdict({ status, text }: ApiResponse, sent: string): ServerVerdict {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value === "object" && value !== null && "valid" in value) {
    if (value.valid === true) return { kind: "valid" };
    const listed = "errors" in value && Array.isArray(value.errors) ? value.errors : [];
    const errors = listed
      .filter(isError)
      .slice(0, MAX_ERRORS)
      .map((error) => inText(error, sent));
    if ("checked" in value && value.checked === false) {
      const message = errors[0]?.message;
      return {
        kind: "none",
        message: message === undefined ? "It could not check them." : message,
      };
    }
    const truncated = "truncated" in value ? Number(value.truncated) || 0 : 0;
    return { kind: "invalid", errors, more: listed.length - errors.length + truncated };
  }
  const error = errorOf(text) ?? "this is not a response of the tool API";
  const message = refusalText(error, status);
  return { kind: "none", message: `${status}: ${message}` };
}
