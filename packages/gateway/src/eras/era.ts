import type { Frame, HeaderFault, HeaderLookup, ParamHeader } from "@touchstone/protocol/advanced";

/**
 * The two eras of MCP. Legacy: revisions up to 2025-11-25, whose connections begin with a handshake. Modern:
 * revisions from 2026-07-28 on, whose requests carry their own context. `eraOf` chooses one for a connection or a
 * request. Callers use its members and never test which era it is.
 */
export interface Era {
  readonly name: "legacy" | "modern";

  // Sessions

  /** Whether a connection begins with `initialize`. If not, `server/discover` returns what a server can do. */
  readonly hasHandshake: boolean;
  /**
   * Returns the revision of a connection after a message from the client.
   * @param current the revision before the message; undefined if none is agreed on
   */
  revisionAfter(frame: Frame, current: string | undefined): string | undefined;

  // Envelopes

  /** Source text of the `_meta` of the gateway's own requests. It never contains parts of a client's `_meta`. */
  readonly ownMeta: string | undefined;
  /** Whether every result names its type in `resultType`. */
  readonly namesResultType: boolean;
  /** Whether `cacheScope` in a list says whether users may share it. */
  readonly namesCacheScope: boolean;
  /** Returns whether a result asks the client for input, and so is not the result of its call yet. */
  asksForInput(frame: Frame): boolean;
  /**
   * Returns whether a result announces a task.
   * @param agreed whether both sides agreed on the extension for tasks
   * @param wanted whether the call requested a task
   */
  announcesTask(frame: Frame, agreed: boolean, wanted: boolean): boolean;

  // HTTP headers and status

  /** Whether headers repeat arguments of a call. The transport must then know the tool before it sends the call. */
  readonly repeatsArguments: boolean;
  /**
   * Returns the headers of a POST that repeat parts of its message.
   * @param declared the headers that the called tool's schema declares
   */
  messageHeaders(frame: Frame, declared: readonly ParamHeader[]): Readonly<Record<string, string>>;
  /** Returns where the headers of a POST contradict its message; undefined if they agree. */
  headersFault(frame: Frame, header: HeaderLookup): HeaderFault | undefined;
  /** Returns the HTTP status of a response that the gateway sends on its own behalf. */
  statusOf(response: Uint8Array): number;

  // Cancellation and streams over HTTP

  /** Whether a client cancels a request by closing its stream. Else it sends `notifications/cancelled`. */
  readonly cancelsByClosing: boolean;
  /** Whether a client may open a stream for messages that the server starts. */
  readonly hasServerStream: boolean;
}
