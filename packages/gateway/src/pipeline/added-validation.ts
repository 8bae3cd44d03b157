import {
  answerValidate,
  CapabilityError,
  capabilityEdit,
  chooseMethod,
  type DecidedCall,
  gatewayCapability,
  validateToolEdit,
} from "@touchstone/capability/advanced";
import { encodeUtf8, messageOf } from "@touchstone/core/advanced";
import { type Edit, type Frame, readFrame, resultFrame } from "@touchstone/protocol/advanced";
import { concatSteps, type Logger } from "@touchstone/util";
import type { ContractSource } from "../contracts/contract-source.ts";
import type { SendOwnRequest } from "../contracts/own-request.ts";
import type { Era } from "../eras/era.ts";
import { modern } from "../eras/modern.ts";
import { effectiveCheck, isToolHidden, type PayloadDecision } from "./decided.ts";

/** How many calls a batch may have: the default of a server that validates by itself. */
const MAX_BATCH_SIZE = 10;
/**
 * The tool's name for a client that learns it before the server's tools are known. The gateway answers calls of it
 * whatever the server lists, so a validation never runs a tool of the server.
 */
const RESERVED = "touchstone_validate_tool_call";
const NAMES: ReadonlySet<string> = new Set(["validate", "validate_tool_call", RESERVED]);

export interface AddedValidationParts {
  /** The server's name in the log. */
  readonly server: string;
  readonly log: Logger;
}

/** What the gateway announced to one client. */
export interface ClientAnnouncement {
  /** Whether the server's response to this client lacked the validation capability, so that the gateway offers it. */
  lacksValidation?: boolean;
  /** The name under which the validation tool was announced to this client. */
  validationMethod?: string;
}

/** The response to a call of the validation tool. */
export interface ValidationResponse {
  /** The frame for the client. */
  readonly bytes: Uint8Array;
  /** The result in it. */
  readonly result: Uint8Array;
  readonly isError: boolean;
}

/**
 * Validation for one server that does not offer it itself. Announces it in the server's `initialize` and
 * `server/discover` results, lists the tool, and answers its calls. All other bytes of these messages are unchanged.
 */
export class AddedValidation {
  readonly #parts: AddedValidationParts;
  /** Whether the server lacks the validation capability, by its last response to any client. */
  #lacks: boolean | undefined;
  /** The tool's name in the last announcement. */
  #method: string | undefined;
  #asking: Promise<void> | undefined;
  #toldTaken = false;

  constructor(parts: AddedValidationParts) {
    this.#parts = parts;
  }

  /** Whether a call is for the validation tool that the gateway adds to the server. */
  isNamed(tool: string | undefined): boolean {
    return tool !== undefined && NAMES.has(tool);
  }

  /** Whether the gateway, not the server, answers the calls of a tool. */
  serves(tool: string, client: ClientAnnouncement, source: ContractSource): boolean {
    if (!NAMES.has(tool) || this.#isLacking(client) !== true) return false;
    return tool === RESERVED || source.get(tool) === undefined;
  }

  /**
   * Finds out whether the server offers validation, if that is unknown. From 2026-07-28 on any client may ask at any
   * time. Never rejects.
   */
  async ensure(client: ClientAnnouncement, ask: SendOwnRequest): Promise<void> {
    if (this.#isLacking(client) !== undefined) return;
    this.#asking ??= this.#discover(client, ask).finally(() => {
      this.#asking = undefined;
    });
    await this.#asking;
  }

  /** Adds the announcement to the result that introduces the server. Copies a large one in steps. */
  *announce(
    frame: Frame,
    client: ClientAnnouncement,
    source: ContractSource,
  ): Generator<void, Uint8Array, void> {
    const method = this.#choose(client, source);
    const announcement = gatewayCapability({ method, maxBatchSize: MAX_BATCH_SIZE });
    const edit = capabilityIn(frame, announcement);
    const lacks = edit !== undefined && method !== undefined;
    client.lacksValidation = lacks;
    this.#lacks = lacks;
    if (!lacks) return frame.bytes;
    client.validationMethod = method;
    this.#method = method;
    return yield* spliced(frame.bytes, edit);
  }

  /** Adds the tool to the last page of a list. Copies a large one in steps. */
  *list(
    frame: Frame,
    client: ClientAnnouncement,
    source: ContractSource,
  ): Generator<void, Uint8Array, void> {
    if (frame.nextCursor !== undefined || this.#isLacking(client) !== true) {
      return frame.bytes;
    }
    const method = this.#free(client, source);
    // If the server lists the reserved name, its list stays as it is. The gateway still answers the calls.
    if (method === undefined || source.get(method) !== undefined) return frame.bytes;
    const options = { method, maxBatchSize: MAX_BATCH_SIZE };
    const { tools } = frame.ranges;
    const edit = tools && validateToolEdit(frame.bytes, tools, options);
    return edit === undefined ? frame.bytes : yield* spliced(frame.bytes, edit);
  }

  /**
   * Answers a call of the tool with the decisions of the pipeline, without asking the server. Never rejects.
   * @param maxBytes the largest arguments to check
   * @param own returns a tool's own name, by the name that the client sees
   * @param decide decides about a call by its tool's own name
   */
  async answer(
    call: Frame,
    source: ContractSource,
    {
      maxBytes,
      era,
      own,
      decide,
    }: {
      readonly maxBytes: number;
      readonly era: Era;
      readonly own: (name: string) => string;
      readonly decide: (tool: string, args: Uint8Array) => Promise<PayloadDecision>;
    },
  ): Promise<ValidationResponse> {
    const { toolName: method = "validate" } = call;
    const { arguments: range } = call.ranges;
    const size = range === undefined ? 0 : range.end - range.start;
    const refusal =
      size > maxBytes
        ? `the arguments are ${size} bytes, more than input_validation.max_bytes (${maxBytes})`
        : source.book.size === 0 && source.book.stale
          ? "the server's tool list could not be fetched; try again later"
          : undefined;
    const args = range && call.bytes.subarray(range.start, range.end);
    const text =
      refusal === undefined
        ? await answerValidate(args, (seen, given) => decided(source, own(seen), given, decide), {
            ...{ method, maxBatchSize: MAX_BATCH_SIZE, modern: era.namesResultType },
          })
        : errorResult(`Cannot ${method}: ${refusal}.`, era);
    const bytes = resultFrame(call.id ?? "null", text);
    return { bytes, result: encodeUtf8(text), isError: readFrame(bytes).isError };
  }

  #isLacking(client: ClientAnnouncement): boolean | undefined {
    return client.lacksValidation ?? this.#lacks;
  }

  async #discover(client: ClientAnnouncement, ask: SendOwnRequest): Promise<void> {
    const { log, server } = this.#parts;
    try {
      const answer = await ask("server/discover", `{"_meta":${modern.ownMeta}}`);
      const frame = readFrame(answer, { outline: true });
      const added = capabilityIn(frame, gatewayCapability());
      client.lacksValidation = added !== undefined;
      this.#lacks = added !== undefined;
    } catch (error) {
      const reason = messageOf(error);
      log.warn(`${server}: could not find out whether it offers validation, so it is not added`, {
        reason,
      });
    }
  }

  /**
   * A name that no tool of the server has. Up to 2025-11-25, the gateway may request a server's tools only after the
   * handshake.
   */
  #choose(client: ClientAnnouncement, source: ContractSource): string | undefined {
    return source.book.complete ? this.#free(client, source) : RESERVED;
  }

  /** The announced name if no tool has it; else another one. */
  #free(client: ClientAnnouncement, source: ContractSource): string | undefined {
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

/** Returns the decision about a call; undefined if the client sees no such tool. */
async function decided(
  source: ContractSource,
  tool: string,
  args: Uint8Array,
  decide: (tool: string, args: Uint8Array) => Promise<PayloadDecision>,
): Promise<DecidedCall | undefined> {
  const contract = source.get(tool);
  if (contract === undefined) return undefined;
  const found = await decide(tool, args);
  if (isToolHidden(found)) return undefined;
  const { decision, judged } = found;
  const repairs = judged?.repaired?.repairs;
  return { decision, check: effectiveCheck(found), repairs, outputText: contract.outputText };
}

/** Returns the edit that adds the announcement to the result of a frame; undefined if the result stays unchanged. */
function capabilityIn(
  frame: Frame,
  capability: ReturnType<typeof gatewayCapability>,
): Edit | undefined {
  const capabilities = frame.range("/result/capabilities");
  return capabilities && capabilityEdit(frame.bytes, capabilities, capability);
}

function spliced(bytes: Uint8Array, { range, text }: Edit): Generator<void, Uint8Array, void> {
  const [before, after] = [bytes.subarray(0, range.start), bytes.subarray(range.end)];
  return concatSteps([before, encodeUtf8(text), after]);
}

function errorResult(text: string, { namesResultType }: Era): string {
  const type = namesResultType ? { resultType: "complete" } : {};
  return JSON.stringify({ ...type, content: [{ type: "text", text }], isError: true });
}
