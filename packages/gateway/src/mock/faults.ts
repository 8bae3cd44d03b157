import { arrayItems, isObject, type JsonObject, parseJson } from "@touchstone/core/advanced";
import {
  ERROR_CODES,
  errorFrame,
  type Frame,
  readFrame,
  spliceFrame,
} from "@touchstone/protocol/advanced";
import { randomFrom } from "@touchstone/protocol/sample";
import { type Logger, visible } from "@touchstone/util";
import { brokenResult } from "./broken-result.ts";
import type { DeclaredTool } from "./declared-tools.ts";
import type { FaultKind, FaultOption } from "./fault-options.ts";

/** A fault that was made. */
export interface MadeFault {
  readonly kind: FaultKind;
  readonly tool: string;
  /** The id of the call, as source text; empty for `drift`. */
  readonly id: string;
  /** Where it is: a pointer into the result. */
  readonly path?: string;
}

/** What is sent instead of the response to a tool call. */
export interface FaultyResponse {
  readonly bytes: Uint8Array;
  readonly delayMs: number;
  /** Whether the connection ends after that. */
  readonly disconnects: boolean;
  readonly made: readonly MadeFault[];
}

/** Makes faults in responses to tool calls: the same ones for the same seed and the same order of calls. */
export class Faults {
  readonly #options: readonly FaultOption[];
  readonly #random: () => number;
  readonly #log: Logger;
  readonly #made: MadeFault[] = [];
  #calls = 0;
  #hasDrifted = false;

  constructor(options: readonly FaultOption[], seed: number, log: Logger) {
    this.#options = options;
    this.#random = randomFrom(seed);
    this.#log = log;
  }

  /** The faults that were made, in order. */
  get made(): readonly MadeFault[] {
    return this.#made;
  }

  /** Returns what is sent instead of the response to a tool call: with one fault, and a delay. */
  apply(
    bytes: Uint8Array,
    id: string,
    tool: DeclaredTool | undefined,
    name: string,
  ): FaultyResponse {
    this.#calls += 1;
    const chosen = this.#options.filter(
      ({ kind, rate }) => kind !== "drift" && this.#random() < rate,
    );
    const before = this.#made.length;
    let sent: FaultyResponse = { bytes, delayMs: 0, disconnects: false, made: [] };
    for (const { kind, delayMs = 0 } of chosen) {
      if (kind !== "slow") continue;
      sent = { ...sent, delayMs };
      this.#note({ kind, tool: name, id });
    }
    for (const { kind } of this.#fromAny(chosen)) {
      const broken = kind === "slow" ? undefined : this.#broken(sent, kind, id, tool);
      if (broken === undefined) continue;
      const { path, ...changed } = broken;
      this.#note({ kind, tool: name, id, ...(path === undefined ? {} : { path }) });
      sent = { ...sent, ...changed };
      break;
    }
    return { ...sent, made: this.#made.slice(before) };
  }

  /** Returns faults from a random one on. */
  #fromAny(options: readonly FaultOption[]): readonly FaultOption[] {
    const start = options.length < 2 ? 0 : Math.floor(this.#random() * options.length);
    return [...options.slice(start), ...options.slice(0, start)];
  }

  #broken(
    { bytes }: FaultyResponse,
    kind: FaultKind,
    id: string,
    tool: DeclaredTool | undefined,
  ): (Partial<FaultyResponse> & { readonly path?: string }) | undefined {
    const half = bytes.subarray(0, bytes.length >> 1);
    switch (kind) {
      case "error":
        return {
          bytes: errorFrame(
            id,
            ERROR_CODES.internalError,
            "touchstone mock made this error (--faults error)",
          ),
        };
      case "not-json":
        return { bytes: half };
      case "disconnect":
        return { bytes: half, disconnects: true };
      default:
        return brokenResult(readFrame(bytes), kind, tool?.outputSchema, (count) =>
          Math.floor(this.#random() * count),
        );
    }
  }

  /** Returns whether the list of tools changes now. */
  drift(): boolean {
    const option = this.#options.find(({ kind }) => kind === "drift");
    if (this.#hasDrifted || option === undefined || this.#calls < (option.calls ?? 1)) return false;
    this.#hasDrifted = true;
    this.#note({ kind: "drift", tool: "", id: "" });
    return true;
  }

  /** Returns a response to `tools/list` as it is after a drift: the first tool on it requires one more argument. */
  list(response: Frame): Uint8Array {
    const { tools } = response.ranges;
    if (!this.#hasDrifted || tools === undefined) return response.bytes;
    const [range] = arrayItems(response.bytes, tools);
    const parsed = range === undefined ? undefined : parseJson(response.text(range));
    if (range === undefined || parsed?.ok !== true || !isObject(parsed.value))
      return response.bytes;
    const text = JSON.stringify(withArgument(parsed.value));
    return spliceFrame(response.bytes, [{ range, text }]);
  }

  #note(fault: MadeFault): void {
    this.#made.push(fault);
    const { kind, tool, id, path } = fault;
    const shown = { fault: kind, tool: tool === "" ? undefined : visible(tool, 200), path, id };
    this.#log.warn("a fault was made", { ...shown, id: id === "" ? undefined : visible(id, 100) });
  }
}

const ADDED_ARGUMENT = "added_by_drift";

/** Returns a tool that requires one more argument. */
function withArgument(tool: JsonObject): JsonObject {
  const schema = isObject(tool["inputSchema"]) ? tool["inputSchema"] : { type: "object" };
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return {
    ...tool,
    inputSchema: {
      ...schema,
      properties: { ...properties, [ADDED_ARGUMENT]: { type: "string" } },
      required: [...required, ADDED_ARGUMENT],
    },
  };
}
