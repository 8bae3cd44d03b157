import {
  type Issue,
  issuesResult,
  type ValidatorLogger,
  type ValidatorResult,
  validatorResult,
} from "@touchstone/core/advanced";
import type { Frame } from "../frame.ts";
import { judgeMessage } from "../judge/judge-message.ts";
import type { Sender } from "../messages/message-table.ts";
import { messagesOf } from "../messages/tables.ts";
import { readFrame } from "../read.ts";
import { LATEST_LEGACY } from "../revisions/revisions.ts";
import { batchJsonRpcFaults, jsonRpcFaults } from "./json-rpc.ts";
import { kindIssues, type MessageType, typeIssue } from "./kind.ts";
import { profileIssue, revisionIssue, safeOption, wireText, withoutThrowing } from "./wire.ts";

/** The version that every message names (JSON-RPC 2.0, section 4). */
export const JSONRPC_VERSION = "2.0";

/** The rules by which messages are validated, and who receives errors. */
export interface MessageValidatorOptions {
  /**
   * `jsonrpc`: JSON-RPC 2.0 alone. `mcp`: also MCP's further requirements and the message schemas of a revision. By
   * default `mcp` if a revision is given, otherwise `jsonrpc`.
   */
  readonly profile?: "jsonrpc" | "mcp" | undefined;
  /** The `protocolVersion` for `mcp`; by default the one in the request's `_meta`, or 2025-11-25. */
  readonly revision?: string | undefined;
  /** Receives the text of every error, once. */
  readonly logger?: ValidatorLogger | undefined;
}

/**
 * Returns who sends requests and notifications of a method in a revision; the client if the revision does not say.
 */
function askerOf(method: string | undefined, revision: string): Sender {
  const methods = messagesOf(revision)?.methods ?? {};
  const from = method !== undefined && Object.hasOwn(methods, method) && methods[method]?.from;
  return from === "server" ? "server" : "client";
}

/** Returns who responds to requests of a method. */
function answererOf(method: string | undefined, revision: string): Sender {
  return askerOf(method, revision) === "server" ? "client" : "server";
}

/**
 * Validates messages: values in memory, as the JSON text that would be sent for them, or JSON text itself, as a
 * string or bytes. Never throws, whatever the input.
 */
export class MessageValidator {
  readonly #profile: "jsonrpc" | "mcp";
  readonly #fault: Issue | undefined;
  readonly #revision: string | undefined;
  readonly #logger: ValidatorLogger | undefined;

  constructor(options?: MessageValidatorOptions) {
    const profile = safeOption(options, "profile");
    this.#revision = safeOption(options, "revision");
    const chosen = this.#revision === undefined ? "jsonrpc" : "mcp";
    this.#profile = profile === "mcp" || profile === "jsonrpc" ? profile : chosen;
    this.#fault = profileIssue(profile, ["jsonrpc", "mcp"]);
    this.#logger = safeOption(options, "logger");
  }

  /** Validates a request: a method and an id (JSON-RPC 2.0, section 4). */
  validateRequest(message: unknown): ValidatorResult {
    return this.validate(message, "request");
  }

  /**
   * Validates a response: an id, and either a result or an error (JSON-RPC 2.0, section 5).
   * @param requestMethod the method of the request, which determines the shape of the result
   */
  validateResponse(message: unknown, requestMethod?: string): ValidatorResult {
    return this.validate(message, "response", requestMethod);
  }

  /** Validates a notification: a method without an id (JSON-RPC 2.0, section 4.1). */
  validateNotification(message: unknown): ValidatorResult {
    return this.validate(message, "notification");
  }

  /**
   * Validates a message of the named type, or, with `auto`, of the type that its members show. Without a type it is a
   * request, or a notification if it has a method and no id. An unknown type is an error in the result.
   */
  validate(message: unknown, type?: MessageType, requestMethod?: string): ValidatorResult {
    return withoutThrowing(
      () => {
        const fault = this.#fault ?? typeIssue(type);
        if (fault !== undefined) return this.#report([fault]);
        const wire = wireText(message, true);
        if ("issue" in wire) return this.#report([wire.issue]);
        const frame = readFrame(wire.bytes, { duplicates: true });
        return this.#judge(frame, type, requestMethod);
      },
      (issue) => this.#report([issue]),
    );
  }

  #report(errors: readonly Issue[], warnings: readonly Issue[] = []): ValidatorResult {
    return issuesResult(errors, warnings, this.#logger);
  }

  #judge(
    frame: Frame,
    type: MessageType | undefined,
    requestMethod: string | undefined,
  ): ValidatorResult {
    const wrong = type === "auto" ? [] : kindIssues(frame, type);
    if (this.#profile === "jsonrpc") {
      const { errors, warnings } = jsonRpcFaults(frame);
      const more =
        frame.kind === "batch" && wrong.length === 0 ? batchJsonRpcFaults(frame) : undefined;
      // If the message is of no kind, the errors about the requested type say enough, so general errors are left out.
      const own = frame.kind === "invalid" && wrong.length > 0 ? errors.filter(hasPlace) : errors;
      return this.#report(
        [...own, ...wrong, ...(more?.errors ?? [])],
        [...warnings, ...(more?.warnings ?? [])],
      );
    }
    const revision = this.#revision ?? frame.protocolVersion ?? LATEST_LEGACY.version;
    const unknown = revisionIssue(revision);
    if (unknown !== undefined) return this.#report([unknown]);
    const answers = frame.kind === "response" || frame.kind === "error" || frame.kind === "batch";
    const asked = answers ? requestMethod : undefined;
    const check = judgeMessage(frame, {
      revision,
      sender: answers ? answererOf(asked, revision) : askerOf(frame.method, revision),
      ...(asked === undefined ? {} : { requestMethod: asked }),
      maxBytes: Math.max(1, frame.bytes.length),
    });
    const inItems = check.items.flatMap(({ issues }) => issues);
    const found = [...check.errors, ...inItems].filter(
      (issue) => wrong.length === 0 || frame.kind !== "invalid" || hasPlace(issue),
    );
    const errors = [...found, ...wrong];
    return validatorResult({ ...check, valid: errors.length === 0, errors }, this.#logger);
  }
}

function hasPlace({ path }: Issue): boolean {
  return path !== "";
}

/**
 * Validates one message by JSON-RPC 2.0.
 * @param messageType with `auto`, the members decide what the message is. Without a type it is a request, or a
 *   notification if it has a method and no id (JSON-RPC 2.0, section 4.1). A string that is not a {@link MessageType}
 *   is an error in the result
 */
export function validateMessage(message: unknown, messageType?: string): ValidatorResult {
  return new MessageValidator().validate(message, messageType as MessageType | undefined);
}
