import type { Issue, JsonRange, JsonScan, LocatedMembers } from "@touchstone/core";

/**
 * What a JSON-RPC 2.0 message is, by the members that it has:
 *
 * - `request`: `method` and `id`
 * - `notification`: `method` without `id`
 * - `response`: `result` without `method` (with `error` beside it, a fault too)
 * - `error`: `error` without `method` and `result`
 * - `batch`: an array
 * - `invalid`: no JSON, or none of these
 */
export type FrameKind = "request" | "notification" | "response" | "error" | "batch" | "invalid";

/** What is looked for in a message beside its shape. */
export interface FrameOptions {
  /** Report duplicate keys, at every level, among the faults. Default false. */
  readonly duplicates?: boolean;
  /**
   * The most keys of one object, and of the whole message, looked for where `duplicates` are. A message with
   * more is read like an outline, and `overKeys` says so; it has no other faults then. If the message itself, its
   * params or its result have that many, it is of kind `invalid`.
   */
  readonly keyLimits?: KeyLimits | undefined;
  /** Tell by `scan.exact` whether a double holds each number, where that costs little. Default false. */
  readonly exact?: boolean;
  /**
   * Look only at the members that a message has by itself, and over whatever else their values hold:
   * many times quicker on a large message, of which nothing else is asked. What is not JSON inside of a
   * value is not found then, and an id or a name with an escape that JSON does not have reads as undefined;
   * `duplicates` and `exact` do nothing, and `scan.keys` is 0. Default false.
   */
  readonly outline?: boolean;
}

/** How a message has more keys than it may have. */
export interface OverKeys {
  readonly limit: number;
  readonly message: string;
}

/** The most keys that a message may have; no limit if one is absent. */
export interface KeyLimits {
  readonly object?: number | undefined;
  readonly message?: number | undefined;
}

/** A scan in which the members of a message were located, by the numbers that they have in the plan. */
export interface FrameScan extends JsonScan {
  readonly members: LocatedMembers;
  /** Set where the message has more keys than {@link FrameOptions.keyLimits} allow; it was not read further. */
  readonly overKeys?: OverKeys;
}

/** Where the parts of a message stand in its bytes; absent parts are undefined. */
export interface FrameRanges {
  readonly id: JsonRange | undefined;
  readonly method: JsonRange | undefined;
  readonly params: JsonRange | undefined;
  /** `params.arguments`, of a `tools/call` what the tool gets. */
  readonly arguments: JsonRange | undefined;
  /** `params._meta`. */
  readonly meta: JsonRange | undefined;
  /** `params._meta.progressToken` of a request, `params.progressToken` of a progress notification. */
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
 * A view of one JSON-RPC message on its bytes. Nothing is parsed but the strings that are asked
 * for; a member of another type than its name says reads as undefined, and {@link faults} tells of
 * it. Where a key is there twice, the last one counts.
 */
export interface Frame {
  readonly bytes: Uint8Array;
  readonly scan: FrameScan;
  readonly kind: FrameKind;
  readonly ranges: FrameRanges;

  readonly jsonrpc: string | undefined;
  /** The source text of `id` (`"a"` with its quotes, `12`), so that no precision is lost. */
  readonly id: string | undefined;
  /** One text per value of `id`: `"a"` and `"\u0061"` give the same, so do `1` and `1.0`. */
  readonly idKey: string | undefined;
  readonly method: string | undefined;
  /** `params.name` of a `tools/call`. */
  readonly toolName: string | undefined;
  /** `params.name`, of a tool or a prompt. */
  readonly name: string | undefined;
  /** `params.uri`. */
  readonly uri: string | undefined;
  /** Whether `params.cursor` is there. */
  readonly hasCursor: boolean;
  /** `params._meta["io.modelcontextprotocol/protocolVersion"]`. */
  readonly protocolVersion: string | undefined;
  /** `protocolVersion` of the params or the result of `initialize`. */
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
  /** `params.taskId` of a request; of a result, the id of the task it announces or describes. */
  readonly taskId: string | undefined;
  /** `error.code`, where it is an integer that a double holds exactly. */
  readonly errorCode: number | undefined;

  /**
   * What breaks JSON or JSON-RPC 2.0 (rule `protocol`; too deep: `guard`) and, if asked for,
   * the duplicate keys (rule `duplicate`).
   */
  readonly faults: readonly Issue[];

  /** The range of any member that frames are read for, by RFC 6901 pointer. */
  range(pointer: string): JsonRange | undefined;
  /** The source text in a range of this frame. */
  text(range: JsonRange): string;
}
