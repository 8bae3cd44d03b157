import type { Frame, HeaderFault, HeaderLookup, ParamHeader } from "@touchstone/protocol";

/**
 * What differs between the two eras of MCP: revisions up to 2025-11-25, whose connections begin with a handshake, and
 * revisions from 2026-07-28 on, whose requests carry their own context. `eraOf` chooses one for a connection or a
 * request; whoever speaks, reads or answers asks it, and never which one it is.
 */
export interface Era {
  readonly name: "legacy" | "modern";

  // Sessions

  /** Whether a connection begins with `initialize`. Else `server/discover` tells what a server can do. */
  readonly hasHandshake: boolean;
  /**
   * Returns the revision of a connection after a client's message on it.
   * @param current before the message; undefined if none is agreed on
   */
  revisionAfter(frame: Frame, current: string | undefined): string | undefined;

  // Envelopes

  /** Source text of the `_meta` of the gateway's own requests. It is never a client's. */
  readonly ownMeta: string | undefined;
  /** Whether every result names its type in `resultType`. */
  readonly namesResultType: boolean;
  /** Whether a list says by `cacheScope` whether it may be shared between users. */
  readonly namesCacheScope: boolean;
  /** Returns whether a result asks the client for input, and so is not the result of its call yet. */
  asksForInput(frame: Frame): boolean;
  /**
   * Returns whether a result announces a task.
   * @param agreed whether both sides have agreed on the extension for tasks
   * @param wanted whether the call asked for a task
   */
  announcesTask(frame: Frame, agreed: boolean, wanted: boolean): boolean;

  // HTTP headers and status

  /** Whether headers repeat arguments of a call, so that the tool must be known before it is called. */
  readonly repeatsArguments: boolean;
  /**
   * Returns the headers of a POST that repeat what its message says.
   * @param declared the headers that the called tool's schema declares
   */
  messageHeaders(frame: Frame, declared: readonly ParamHeader[]): Readonly<Record<string, string>>;
  /** Returns what is wrong with the headers of a POST, compared with its message; undefined if nothing is. */
  headersFault(frame: Frame, header: HeaderLookup): HeaderFault | undefined;
  /** Returns the HTTP status of a response that the gateway sends on its own behalf. */
  statusOf(response: Uint8Array): number;

  // Cancellation and streams over HTTP

  /** Whether a client cancels a request by closing its stream. Else it sends `notifications/cancelled`. */
  readonly cancelsByClosing: boolean;
  /** Whether a client may open a stream for what the server sends on its own behalf. */
  readonly hasServerStream: boolean;
}
