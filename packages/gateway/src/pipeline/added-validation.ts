import {
  addCapability,
  addValidateTool,
  answerValidate,
  CapabilityError,
  chooseMethod,
  gatewayCapability,
} from "@touchstone/capability";
import { encodeUtf8, messageOf } from "@touchstone/core";
import { type Frame, readFrame, resultFrame } from "@touchstone/protocol";
import type { Ask } from "../contracts/ask.ts";
import type { ContractSource } from "../contracts/source.ts";
import type { Era } from "../eras/era.ts";
import { modern } from "../eras/modern.ts";
import { forbiddenAtOnce, type Narrowings } from "../policy/narrow.ts";
import type { PolicySettings } from "../policy/settings.ts";
import { decideTool } from "../policy/tools.ts";
import { concatBytes } from "../util/concat-bytes.ts";
import type { Logger } from "../util/log.ts";

/** Calls in one batch, as a server that validates itself offers by default. */
const MAX_BATCH_SIZE = 10;
/**
 * The tool's name for a client that is told about it before the server's tools are known. The gateway answers calls of
 * it whatever the server lists, so that a validation never runs a tool of the server.
 */
const RESERVED = "touchstone_validate_tool_call";
const NAMES: ReadonlySet<string> = new Set(["validate", "validate_tool_call", RESERVED]);

export interface AddedValidationParts {
  /** The server's name in the log. */
  readonly server: string;
  readonly log: Logger;
}

/** What one client was told about validation. */
export interface ToldClient {
  /** Whether the server, in answer to this client, left it to the gateway to validate calls. */
  lacksValidation?: boolean;
  /** The name under which this client was told about the validation tool. */
  validationMethod?: string;
}

/** What a call of the validation tool brings. */
export interface ValidationAnswer {
  /** The frame for the client. */
  readonly bytes: Uint8Array;
  /** The result in it. */
  readonly result: Uint8Array;
  readonly isError: boolean;
}

/**
 * Validation on behalf of one server that does not offer it itself: announces it in the server's
 * `initialize` and `server/discover` results, lists the tool, and answers its calls. Of each message
 * that it changes, the bytes that are not its own stay as they came.
 */
export class AddedValidation {
  readonly #parts: AddedValidationParts;
  /** Whether the server leaves it to the gateway, as it last told anybody. */
  #lacks: boolean | undefined;
  /** The tool's name, as it was last announced. */
  #method: string | undefined;
  #asking: Promise<void> | undefined;
  #toldTaken = false;

  constructor(parts: AddedValidationParts) {
    this.#parts = parts;
  }

  /** Whether a call is one of the validation tool, should the server leave that to the gateway. */
  isNamed(tool: string | undefined): boolean {
    return tool !== undefined && NAMES.has(tool);
  }

  /** Whether it is the gateway that answers the calls of a tool. */
  serves(tool: string, client: ToldClient, source: ContractSource): boolean {
    if (!NAMES.has(tool) || this.#isLacking(client) !== true) return false;
    return tool === RESERVED || source.get(tool) === undefined;
  }

  /**
   * Finds out whether the server offers validation, if that is not known: from 2026-07-28 on
   * anybody may ask at any time. Never rejects.
   */
  async ensure(client: ToldClient, ask: Ask): Promise<void> {
    if (this.#isLacking(client) !== undefined) return;
    this.#asking ??= this.#discover(client, ask).finally(() => {
      this.#asking = undefined;
    });
    await this.#asking;
  }

  /** Adds the announcement to the result that introduces the server. */
  announce(frame: Frame, client: ToldClient, source: ContractSource): Uint8Array {
    const method = this.#choose(client, source);
    const announcement = gatewayCapability({ method, maxBatchSize: MAX_BATCH_SIZE });
    const announced = withResult(frame, (result) => addCapability(result, announcement));
    const lacks = announced !== undefined && method !== undefined;
    client.lacksValidation = lacks;
    this.#lacks = lacks;
    if (!lacks) return frame.bytes;
    client.validationMethod = method;
    this.#method = method;
    return announced;
  }

  /** Adds the tool to the last page of a list. */
  list(frame: Frame, client: ToldClient, source: ContractSource): Uint8Array {
    if (frame.nextCursor !== undefined || this.#isLacking(client) !== true) {
      return frame.bytes;
    }
    const method = this.#free(client, source);
    // A server that lists the reserved name is shown as it is; the gateway answers the calls anyway.
    if (method === undefined || source.get(method) !== undefined) return frame.bytes;
    const options = { method, maxBatchSize: MAX_BATCH_SIZE };
    return withResult(frame, (result) => addValidateTool(result, options)) ?? frame.bytes;
  }

  /**
   * Answers a call of the tool from the server's contracts; the server is not asked.
   * @param maxBytes largest arguments that are looked at
   * @param policy tools that it does not allow are unknown here as well
   * @param narrowings what the arguments must satisfy beside the tool's schema
   * @param isHeld returns whether nobody has approved a tool, so that it is unknown as well
   */
  answer(
    call: Frame,
    source: ContractSource,
    {
      maxBytes,
      maxDepth,
      era,
      policy,
      isHeld,
      narrowings,
    }: {
      readonly maxBytes: number;
      readonly maxDepth: number;
      readonly era: Era;
      readonly policy: PolicySettings | undefined;
      readonly narrowings?: Narrowings | undefined;
      readonly isHeld: (tool: string) => boolean;
    },
  ): ValidationAnswer {
    const { toolName: method = "validate" } = call;
    const { arguments: range } = call.ranges;
    const size = range === undefined ? 0 : range.end - range.start;
    const refusal =
      size > maxBytes
        ? `the arguments are ${size} bytes, more than input_validation.max_bytes (${maxBytes})`
        : source.book.size === 0 && source.book.stale
          ? "the server's tool list could not be had; try again later"
          : undefined;
    const text =
      refusal === undefined
        ? answerValidate(
            range && call.bytes.subarray(range.start, range.end),
            (name) => {
              const tool = source.get(name);
              const { decision } = decideTool(policy, { name, isReadOnly: tool?.isReadOnly });
              if (tool === undefined || decision === "blocked" || isHeld(name)) return undefined;
              const narrowing = narrowings?.of(name);
              if (narrowing === undefined) return tool;
              const { input, outputText } = tool;
              return {
                input,
                outputText,
                forbidden: (text, limits = {}) => forbiddenAtOnce(narrowing, text, limits),
              };
            },
            {
              method,
              maxBatchSize: MAX_BATCH_SIZE,
              modern: era.namesResultType,
              limits: { maxBytes, maxDepth },
            },
          )
        : errorResult(`Cannot ${method}: ${refusal}.`, era);
    const bytes = resultFrame(call.id ?? "null", text);
    return { bytes, result: encodeUtf8(text), isError: readFrame(bytes).isError };
  }

  #isLacking(client: ToldClient): boolean | undefined {
    return client.lacksValidation ?? this.#lacks;
  }

  async #discover(client: ToldClient, ask: Ask): Promise<void> {
    const { log, server } = this.#parts;
    try {
      const frame = readFrame(await ask("server/discover", `{"_meta":${modern.ownMeta}}`));
      const added = withResult(frame, (result) => addCapability(result, gatewayCapability()));
      client.lacksValidation = added !== undefined;
      this.#lacks = added !== undefined;
    } catch (error) {
      const reason = messageOf(error);
      log.warn(`${server}: whether it offers validation could not be had, so it is not added`, {
        reason,
      });
    }
  }

  /** A name that no tool of the server has. Up to 2025-11-25 a server introduces itself before it may be asked. */
  #choose(client: ToldClient, source: ContractSource): string | undefined {
    return source.book.complete ? this.#free(client, source) : RESERVED;
  }

  /** The name that was announced, where it is still free; else another. */
  #free(client: ToldClient, source: ContractSource): string | undefined {
    const isTaken = (name: string): boolean => source.get(name) !== undefined;
    const told = client.validationMethod;
    if (told === RESERVED) return told;
    const announced = told ?? (this.#method === RESERVED ? undefined : this.#method);
    if (announced !== undefined && !isTaken(announced)) return announced;
    try {
      return chooseMethod(undefined, isTaken);
    } catch (error) {
      if (!(error instanceof CapabilityError)) throw error;
      if (!this.#toldTaken) {
        this.#parts.log.warn(
          `${this.#parts.server}: validation is not added, since the server has tools of its names: ${[...NAMES].join(", ")}`,
        );
      }
      this.#toldTaken = true;
      return undefined;
    }
  }
}

/** Returns the frame with another result in it; undefined if its result is to stay. */
function withResult(
  { bytes, ranges: { result } }: Frame,
  change: (result: Uint8Array) => Uint8Array | undefined,
): Uint8Array | undefined {
  if (result === undefined) return undefined;
  const changed = change(bytes.subarray(result.start, result.end));
  if (changed === undefined) return undefined;
  return concatBytes([bytes.subarray(0, result.start), changed, bytes.subarray(result.end)]);
}

function errorResult(text: string, { namesResultType }: Era): string {
  const type = namesResultType ? { resultType: "complete" } : {};
  return JSON.stringify({ ...type, content: [{ type: "text", text }], isError: true });
}
