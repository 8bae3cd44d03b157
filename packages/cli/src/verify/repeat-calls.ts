import { encodeUtf8, isUnchecked } from "@touchstone/core/advanced";
import type { CallDecider } from "@touchstone/gateway/decide";
import type { Exchange, Recordings } from "@touchstone/gateway/recordings";
import type { Connection } from "../servers/connect.ts";
import { JsonRpcResponseError } from "../servers/json-rpc-error.ts";
import { compareCall, type Difference, type Ending } from "./compare-call.ts";
import { exactValues } from "./exact-values.ts";
import {
  errorOutcome,
  type Outcome,
  outcomeOf,
  recordedArguments,
  recordedOutcome,
} from "./outcome.ts";
import { ResultShape } from "./result-shape.ts";
import type { CallToRepeat } from "./select-calls.ts";

/** How many recorded responses to the same request are compared. */
const MAX_RESPONSES = 10;
/** How many calls with differences are kept, and how many differences of each. */
const MAX_CALLS = 10_000;
const MAX_DIFFERENCES = 500;

/** What calls are compared with, and how. */
export interface Comparing {
  readonly recordings: Recordings;
  /** Checks results by the output schemas that the server declared, and that it declares. */
  readonly before: CallDecider;
  readonly now: CallDecider;
  /** Where values have to be the same. */
  readonly exact: readonly string[];
}

/** The shapes of a tool's results, as recorded and now. */
export interface ToolShapes {
  readonly before: ResultShape;
  readonly now: ResultShape;
}

/** Repeats recorded calls, and keeps how they end differently than before. */
export class Run {
  readonly differences: Map<Exchange, readonly Difference[]> = new Map();
  readonly shapes: Map<string, ToolShapes> = new Map();
  /** How many calls were made, by tool. */
  readonly calls: Map<string, number> = new Map();
  /** How many results could not be checked by their output schema. */
  unchecked = 0;
  /** How many calls with differences were not kept. */
  dropped = 0;
  readonly #comparing: Comparing;

  constructor(comparing: Comparing) {
    this.#comparing = comparing;
  }

  /**
   * Makes a call.
   * @param tool as the server declares it
   * @returns whether the server has responded
   */
  async repeat(call: CallToRepeat, tool: object, connection: Connection): Promise<boolean> {
    const { recordings, now: decide } = this.#comparing;
    const args = recordedArguments(recordings.request(call.exchange));
    const { name, shapes } = { name: call.tool, shapes: this.#shapesOf(call.tool) };
    this.calls.set(name, (this.calls.get(name) ?? 0) + 1);
    const outcome = await connection.callTool({ ...tool, name }, args).then(outcomeOf, failed);
    const now = await this.#ending(name, outcome, decide);
    const before = await this.#recorded(call, shapes.before);
    if (outcome.kind === "result") shapes.now.add(outcome.value);
    if (now.check !== undefined && isUnchecked(now.check)) this.unchecked += 1;
    const found = compareCall(before, now);
    if (found.length > 0) {
      if (this.differences.size < MAX_CALLS) {
        this.differences.set(call.exchange, found.slice(0, MAX_DIFFERENCES));
      } else this.dropped += 1;
    }
    return outcome.kind !== "no response";
  }

  #shapesOf(tool: string): ToolShapes {
    const known = this.shapes.get(tool);
    if (known !== undefined) return known;
    const made = { before: new ResultShape(), now: new ResultShape() };
    this.shapes.set(tool, made);
    return made;
  }

  /** Reads the recorded responses to a call. */
  async #recorded(
    { exchange, tool }: CallToRepeat,
    shape: ResultShape,
  ): Promise<readonly Ending[]> {
    const { recordings, before } = this.#comparing;
    const endings: Ending[] = [];
    let at = recordings.answered(exchange);
    while (at !== undefined && endings.length < MAX_RESPONSES) {
      const outcome = recordedOutcome(recordings.response(at));
      if (outcome?.kind === "result") shape.add(outcome.value);
      if (outcome !== undefined) endings.push(await this.#ending(tool, outcome, before));
      at = recordings.after(at);
    }
    return endings;
  }

  async #ending(tool: string, outcome: Outcome, decide: CallDecider): Promise<Ending> {
    const { text, value, kind } = outcome;
    if (text === undefined) return { outcome, check: undefined, values: new Map() };
    const check = kind === "result" ? await decide.result(tool, encodeUtf8(text)) : undefined;
    const { exact } = this.#comparing;
    const values = exact.length === 0 ? new Map() : exactValues(text, value, exact);
    return { outcome, check, values };
  }
}

function failed(error: unknown): Outcome {
  if (error instanceof JsonRpcResponseError) return errorOutcome(error);
  return { kind: "no response", message: error instanceof Error ? error.message : String(error) };
}
