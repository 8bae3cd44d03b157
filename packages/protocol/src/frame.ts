import type {
  ExpectedValue,
  Issue,
  JsonRange,
  JsonScan,
  LocatedMembers,
} from "@touchstone/core/advanced";

/**
 * The kind of a JSON-RPC 2.0 message, by the members that it has:
 *
 * - `request`: `method` and `id`
 * - `notification`: `method` without `id`
 * - `response`: `result` without `method` (also with `error` beside it, which is a fault)
 * - `error`: `error` without `method` and `result`
 * - `batch`: an array
 * - `invalid`: not JSON, or none of these
 */
export type FrameKind = "request" | "notification" | "response" | "error" | "batch" | "invalid";

/** What to check in a message in addition to its shape. */
export interface FrameOptions {
  /** Report duplicate keys, at every level, as faults. Default false. */
  readonly duplicates?: boolean;
  /**
   * The most keys allowed in one object, and in the whole message, when `duplicates` is set. A message with more is
   * read like an outline, and `overKeys` says so; it has no other faults then. If the message itself, its params or
   * its result have too many, its kind is `invalid`.
   */
  readonly keyLimits?: KeyLimits | undefined;
  /** Report in `scan.exact` whether a double can hold each number, if that costs little. Default false. */
  readonly exact?: boolean;
  /**
   * Report in `scan.accepted` whether this value satisfies a schema, if `duplicates` and `exact` are set and that
   * costs little.
   */
  readonly expected?: ExpectedValue | undefined;
  /**
   * Read only the message's own members and skip what their values contain. This is many times faster for a large
   * message if nothing else is needed. What is not JSON inside a value is not found then, and an id or a name with an
   * escape that JSON does not have reads as undefined; `duplicates` and `exact` do nothing, and `scan.keys` is 0.
   * Default false.
   */
  readonly outline?: boolean;
}

/** How a message exceeds the number of keys that it may have. */
export interface TooManyKeys {
  readonly limit: number;
  readonly message: string;
}

/** The most keys that a message may have; an absent member means no limit. */
export interface KeyLimits {
  readonly object?: number | undefined;
  readonly message?: number | undefined;
}

/** A scan that located the members of a message, by their numbers in the plan. */
export interface FrameScan extends JsonScan {
  readonly members: LocatedMembers;
  /** Set if the message has more keys than {@link FrameOptions.keyLimits} allow; reading stopped there. */
  readonly overKeys?: TooManyKeys;
}

/** The positions of a message's parts in its bytes; absent parts are undefined. */
export interface FrameRanges {
  readonly id: JsonRange | undefined;
  readonly method: JsonRange | undefined;
  readonly params: JsonRange | undefined;
  /** `params.arguments`; for a `tools/call`, what the tool receives. */
  readonly arguments: JsonRange | undefined;
  /** `params._meta`. */
  readonly meta: JsonRange | undefined;
  /** `params._meta.progressToken` of a request, or `params.progressToken` of a progress notification. */
  readonly progressToken: JsonRange | undefined;
  /** `params.requestId` of `notifications/cancelled`. */
  readonly requestId: JsonRange | undefined;
  /** `_meta["io.modelcontextprotocol/subscriptionId"]` of `params` or `result`. */
  readonly subscriptionId: JsonRange | undefined;
  readonly result: JsonRange | undefined;
  readonly structuredContent: JsonRange | undefined;
  /** `result.tools`. */
  readonly tools: JsonRange | undefined;
  readonly error: JsonRange | undefined;
}

/**
 * A view of one JSON-RPC message on its bytes. Only the strings that are asked for are parsed. A member of the wrong
 * type reads as undefined, and {@link faults} reports it. If a key appears twice, the last one counts.
 *
 * A message whose id, progress token, task id or subscription id has more than 16,384 bytes, or whose cursor has more
 * than 65,536, is not read: its kind is `invalid`, and `scan.error` has the code `size`.
 *
 * At most 16,384 characters of a method, name, URI, version or result type are read; `…` follows them if there are
 * more. {@link text} has all of it.
 */
export interface Frame {
  readonly bytes: Uint8Array;
  readonly scan: FrameScan;
  readonly kind: FrameKind;
  readonly ranges: FrameRanges;

  readonly jsonrpc: string | undefined;
  /**
   * The source text of `id` (`"a"` with its quotes, `12`), so that no precision is lost. Undefined if it has more than
   * 16,384 bytes.
   */
  readonly id: string | undefined;
  /** One text per value of `id`: `"a"` and `"\u0061"` give the same text, and so do `1` and `1.0`. */
  readonly idKey: string | undefined;
  readonly method: string | undefined;
  /** `params.name` of a `tools/call`. */
  readonly toolName: string | undefined;
  /** `params.name`, for a tool or a prompt. */
  readonly name: string | undefined;
  /** `params.uri`. */
  readonly uri: string | undefined;
  /** Whether `params.cursor` is present. */
  readonly hasCursor: boolean;
  /** `params._meta["io.modelcontextprotocol/protocolVersion"]`. */
  readonly protocolVersion: string | undefined;
  /** `protocolVersion` from the params or the result of `initialize`. */
  readonly initializeVersion: string | undefined;
  /** {@link idKey} of `params.requestId` in `notifications/cancelled`. */
  readonly requestIdKey: string | undefined;
  /** {@link idKey} of the {@link FrameRanges.progressToken}. */
  readonly progressTokenKey: string | undefined;
  /** {@link idKey} of the {@link FrameRanges.subscriptionId}. */
  readonly subscriptionIdKey: string | undefined;

  /** Whether `result.isError` is `true`. */
  readonly isError: boolean;
  readonly resultType: string | undefined;
  readonly nextCursor: string | undefined;
  /** Whether the result only announces a task (`result.task`, or `resultType` `"task"`). */
  readonly announcesTask: boolean;
  /** `params.taskId` of a request; for a result, the id of the task that it announces or describes. */
  readonly taskId: string | undefined;
  /** `error.code`, if it is an integer that a double holds exactly. */
  readonly errorCode: number | undefined;

  /**
   * Violations of JSON or JSON-RPC 2.0 (rule `protocol`; too deep: `guard`) and, if requested, duplicate keys (rule
   * `duplicate`).
   */
  readonly faults: readonly Issue[];

  /** A slot for the caller's own data about the frame, faster than a `WeakMap`. This package ignores it. */
  attached: unknown;

  /** The range of any member that frames are read for, by RFC 6901 pointer. */
  range(pointer: string): JsonRange | undefined;
  /** The source text of a range of this frame. */
  text(range: JsonRange): string;
}
