import { ERROR_CODES, errorFrame } from "@touchstone/protocol/advanced";
import { visible } from "@touchstone/util";
import { INPUT_MS, MAX_ROUNDS } from "./input.ts";

const MAX_METHOD = 64;
const MAX_ISSUE = 200;

/** Why something of a client's, or for it, does not cross. */
export interface Uncrossed {
  readonly code: number;
  /** What it is about, as the subject of a sentence. */
  readonly what: string;
  /** Why, with the section of the specification. */
  readonly why: string;
  /** What to do next; absent if a client or server of another revision would help. */
  readonly next?: string;
}

/**
 * Returns the error for a client whose request, or the response to it, does not cross.
 * @param id the source text of the request's id
 * @param pair the two revisions, such as `2025-11-25>2026-07-28`
 */
export function uncrossedError(
  id: string,
  pair: string,
  { code, what, why, next }: Uncrossed,
): Uint8Array {
  const [client = "", server = ""] = pair.split(">");
  const other = `use a client that speaks ${server}, or a version of the server that speaks ${client}`;
  const text = `touchstone: ${what} does not cross the bridge from ${client} to ${server}: ${why}; ${next ?? other}`;
  return errorFrame(id, code, text, { bridged: pair });
}

export function methodUncrossed(method: string, why: string): Uncrossed {
  return { code: ERROR_CODES.methodNotFound, what: `"${visible(method, MAX_METHOD)}"`, why };
}

export const SECOND_INITIALIZE: Uncrossed = {
  code: ERROR_CODES.invalidRequest,
  what: "a second initialize",
  why: "the session has begun (MCP 2025-11-25, Lifecycle)",
};

export const NO_OBJECT: Uncrossed = {
  code: ERROR_CODES.invalidParams,
  what: "a request whose params, or their _meta, are not an object",
  why: "every request carries its context there (MCP 2026-07-28, Base Protocol, _meta)",
};

export const RESERVED_META: Uncrossed = {
  code: ERROR_CODES.invalidParams,
  what: "a request with a reserved member in _meta",
  why: "the bridge writes that member (MCP 2026-07-28, Base Protocol, _meta)",
};

export const TASK: Uncrossed = {
  code: ERROR_CODES.invalidParams,
  what: "a call that asks for a task",
  why: "tasks are an extension there (MCP 2026-07-28, Changelog, SEP-2663); call it without `task`",
};

/** The error for a message while the bridge asks the server what it can do, and too many wait already. */
export const BUSY = {
  code: ERROR_CODES.invalidRequest,
  text: "touchstone: the response to initialize has not come yet; wait for it (MCP 2025-11-25, Lifecycle)",
} as const;

/** How long to wait for the response to `initialize` before the server is asked `server/discover`, in milliseconds. */
export const INITIALIZE_MS = 30_000;
/** How long a server that leaves `initialize` without a response may take for `server/discover`, in milliseconds. */
export const DISCOVER_LAST_MS = 25_000;

/** Returns the error for a client whose `initialize` the server has not answered. @param id the source text of its id */
export function unansweredError(id: string): Uint8Array {
  const text = `touchstone: the server has not responded to initialize within ${INITIALIZE_MS / 1000} s, nor to server/discover within ${DISCOVER_LAST_MS / 1000} s after that (MCP 2025-11-25, Lifecycle, Timeouts); see the server's log, and run \`touchstone doctor\``;
  return errorFrame(id, ERROR_CODES.internalError, text);
}

export const OWN_INPUT: Uncrossed = {
  code: ERROR_CODES.invalidParams,
  what: "a request with inputResponses or requestState",
  why: "the bridge writes these members (MCP 2026-07-28, Multi Round-Trip Requests)",
};

/** A result that is not the end of its request. */
export function unfinished(type: string): Uncrossed {
  return {
    code: ERROR_CODES.internalError,
    what: `a result of the type "${visible(type, MAX_METHOD)}"`,
    why: "the client takes a result for the end of its request (MCP 2026-07-28, Base Protocol)",
  };
}

/** A request for input that ends its request. */
function inputUncrossed(why: string, next?: string): Uncrossed {
  const what = 'a result of the type "input_required"';
  return {
    ...{ code: ERROR_CODES.internalError, what, why },
    ...(next === undefined ? {} : { next }),
  };
}

/** @param capability that the client lacks */
export function inputLacking(method: string, capability: string): Uncrossed {
  return inputUncrossed(
    `${visible(method, MAX_METHOD)} needs the client's capability ${capability}, which it has not declared (MCP 2026-07-28, Multi Round-Trip Requests)`,
    `use a client with the capability ${capability}`,
  );
}

export const INPUT_UNREADABLE: Uncrossed = inputUncrossed(
  "the server asks for input in a form that cannot be read, or that only its own revision has (MCP 2026-07-28, Multi Round-Trip Requests)",
);

/** @param issue what is wrong with it in the client's revision */
export function inputInvalid(method: string, issue: string): Uncrossed {
  return inputUncrossed(
    `the client's revision does not allow this ${visible(method, MAX_METHOD)}: ${visible(issue, MAX_ISSUE)}`,
  );
}

export const INPUT_REPEATED: Uncrossed = inputUncrossed(
  `the server has asked for input ${MAX_ROUNDS} times (MCP 2026-07-28, Multi Round-Trip Requests)`,
  "see the server's log",
);

export const INPUT_EXPIRED: Uncrossed = inputUncrossed(
  `the client has not responded to the request for input within ${INPUT_MS / 60_000} minutes`,
  "call again",
);

/** @param message of the client's error */
export function inputRefused(method: string, message: string): Uncrossed {
  return inputUncrossed(
    `the client responded to ${visible(method, MAX_METHOD)} with an error: ${visible(message, MAX_ISSUE)}`,
    "see the client's log",
  );
}
