import { compileAtOnce, type SchemaError } from "@touchstone/core/advanced";
import {
  BoundedMap,
  JobThread,
  threadProgram,
  threadSlice,
  valueOrTimeout,
} from "@touchstone/util";
import type { ToolContract } from "../../contracts/contract.ts";
import { compileRetained } from "../../contracts/large-schema.ts";
import type { ContractFault } from "../api/schemas.ts";

/** How many verdicts about schemas to keep, by hash. */
const MAX_KNOWN = 50_000;
const MAX_MESSAGE = 1_000;

const HINTS: Readonly<Record<SchemaError["code"], string>> = {
  unknown_dialect: "Name a supported dialect in $schema (draft-04 to 2020-12), or none.",
  invalid_json: "Let the server send the schema as JSON.",
  not_a_schema: "A schema is an object, true or false.",
  metaschema: "Correct the keyword that the message names; its dialect does not allow the value.",
  too_large: "Split the schema, or leave out what no call needs.",
  too_deep: "Nest less, or refer to definitions with $ref.",
  too_many_subschemas: "Split the schema, or leave out what no call needs.",
  unresolved_reference: "Put what $ref refers to into the schema itself, under $defs.",
  reference_loop: "Make the reference point to a member or an item, or remove it.",
  invalid_pattern:
    "Correct the regular expression: it must be ECMA-262, without syntax of other engines.",
  uncompilable: "Simplify the schema, starting with the keyword that the message names.",
};

/** Returns the result of reading a schema: what is wrong with it, or a job for a thread. */
type Judge = (text: Uint8Array) => SchemaReading | (() => Promise<SchemaReading>);

interface SchemaReading {
  /** Undefined if nothing is wrong. */
  readonly fault: SchemaError | undefined;
  /**
   * Whether the schema was not read completely, so that another attempt may have another result: the thread was
   * `busy`, or reading took too much time or memory (`over`).
   */
  readonly unread?: "busy" | "over";
}

/** How long a thread may read one schema, in milliseconds. */
const MAX_MS = 20_000;
/** How long one request may wait for threads in all, in milliseconds. */
const REQUEST_MS = 20_000;
/** After how long to retry a schema that took too much time, in milliseconds. */
const AGAIN_MS = 600_000;
const thread: JobThread<Uint8Array, SchemaError | null> = new JobThread({
  program: threadProgram("server/admin/schema-fault-entry", import.meta.url),
  maxMs: MAX_MS,
  maxHeapMb: 512,
  maxWaiting: 64,
});

/** Returns the result for a schema that was not read: calls are not checked by such a schema, as if it were invalid. */
function notRead(unread: "busy" | "over", why: string): SchemaReading {
  const message = `it is unknown whether the schema can be used: ${why}`;
  return { fault: { code: "uncompilable", message, path: "" }, unread };
}

const BUSY = notRead("busy", "the thread that reads schemas is busy; try again later");
const OVER = notRead(
  "over",
  `reading it took more than ${MAX_MS / 1_000} s or too much memory; it is read again after 10 minutes`,
);
const NO_TIME = notRead(
  "busy",
  `reading the schemas of one request takes ${REQUEST_MS / 1_000} s at most; repeat the request for the rest`,
);

/** Reads a short schema at once, and any other on a thread. */
function judge(text: Uint8Array): SchemaReading | (() => Promise<SchemaReading>) {
  const now = compileRetained(text, compileAtOnce);
  return now === undefined ? () => judgeOnThread(text) : { fault: now.error };
}

async function judgeOnThread(text: Uint8Array): Promise<SchemaReading> {
  if (thread.isFull) return BUSY;
  const fault = await thread.run(text).catch(() => undefined);
  return fault === undefined ? OVER : { fault: fault ?? undefined };
}

/** What is wrong with a schema. */
export interface FoundSchemaFault extends ContractFault {
  /** Whether it is a reference to another document. */
  readonly isExternal: boolean;
  /** Whether the schema was not read completely, so that it may be usable. */
  readonly isUnread: boolean;
}

/** The time that one request may wait for schemas to be read. Simultaneous waits count once. */
export class SchemaReadDeadline {
  /** The remaining time when the number of awaited schemas last changed, and when that was. */
  #leftThen: number;
  #changed = 0;
  #waiting = 0;

  /** @param ms in milliseconds */
  constructor(ms: number = REQUEST_MS) {
    this.#leftThen = ms;
  }

  get isOver(): boolean {
    return this.#left <= 0;
  }

  /** Resolves to the value of a promise, or to {@link NO_TIME} when the time is over. */
  async waitFor(reading: Promise<SchemaReading>): Promise<SchemaReading> {
    if (this.isOver) return NO_TIME;
    this.#change(1);
    const verdict = await valueOrTimeout(this.#left, reading, () => {
      // A timer may fire up to a millisecond before the clock shows its time.
      this.#leftThen = 0;
      return NO_TIME;
    });
    this.#change(-1);
    return verdict;
  }

  get #left(): number {
    return this.#waiting === 0
      ? this.#leftThen
      : this.#leftThen - (performance.now() - this.#changed);
  }

  #change(by: 1 | -1): void {
    this.#leftThen = this.#left;
    this.#changed = performance.now();
    this.#waiting += by;
  }
}

/** What is wrong with the schemas that one response is about. */
export interface ResponseFaults {
  of(contract: ToolContract): Promise<readonly FoundSchemaFault[]>;
}

/** A result of reading a schema, and until when it holds, on the process's clock. */
interface Known {
  readonly verdict: SchemaReading;
  readonly until: number;
}

/**
 * Finds unusable schemas. Reads each schema once: in short steps so that calls can continue, or on a thread if it is
 * long.
 */
export class ContractFaults {
  readonly #known: BoundedMap<string, Known> = new BoundedMap(MAX_KNOWN);
  /** The schemas that are being read, by hash. */
  readonly #reading: Map<string, Promise<SchemaReading>> = new Map();
  readonly #judge: Judge;
  readonly #now: () => number;

  /**
   * @param given reads a schema, and returns what is wrong with it
   * @param now a monotonic clock, in milliseconds
   */
  constructor(given: Judge = judge, now: () => number = () => performance.now()) {
    this.#judge = given;
    this.#now = now;
  }

  /**
   * Returns what is wrong with a tool's schemas; empty if nothing is.
   * @param time the time that all schemas of a request may take; default: the full time for this tool alone
   */
  async of(
    contract: ToolContract,
    time: SchemaReadDeadline = new SchemaReadDeadline(),
  ): Promise<readonly FoundSchemaFault[]> {
    const turn = threadSlice.turnOf();
    if (turn !== undefined) await turn;
    const { inputHash, inputText, outputHash, outputText } = contract;
    const input = await this.#read(inputHash, inputText, time);
    const output = await this.#read(outputHash, outputText, time);
    return [...shown("input", input), ...shown("output", output)];
  }

  /**
   * Returns the same for one response: reads no contract twice, and all contracts share one time limit.
   * @param time that they have
   */
  once(time: SchemaReadDeadline = new SchemaReadDeadline()): ResponseFaults {
    const found = new Map<ToolContract, Promise<readonly FoundSchemaFault[]>>();
    return {
      of: (contract) => {
        const known = found.get(contract) ?? this.of(contract, time);
        found.set(contract, known);
        return known;
      },
    };
  }

  async #read(
    hash: string | undefined,
    text: Uint8Array | undefined,
    time: SchemaReadDeadline,
  ): Promise<SchemaReading | undefined> {
    if (hash === undefined || text === undefined) return undefined;
    let known = this.#knownOf(hash);
    const turn = known === undefined ? threadSlice.turnOf() : undefined;
    if (turn !== undefined) {
      await turn;
      known = this.#knownOf(hash);
    }
    if (known !== undefined) return known;
    const reading = this.#reading.get(hash);
    if (reading !== undefined) return time.waitFor(reading);
    const verdict = this.#judge(text);
    if (typeof verdict !== "function") return this.#learned(hash, verdict);
    // If this request does not wait for it, it is not read at all.
    return time.isOver ? NO_TIME : time.waitFor(this.#readLater(hash, verdict));
  }

  #readLater(hash: string, read: () => Promise<SchemaReading>): Promise<SchemaReading> {
    const reading = read().then((verdict) => {
      this.#reading.delete(hash);
      return this.#learned(hash, verdict);
    });
    this.#reading.set(hash, reading);
    return reading;
  }

  #knownOf(hash: string): SchemaReading | undefined {
    const known = this.#known.get(hash);
    return known !== undefined && known.until > this.#now() ? known.verdict : undefined;
  }

  #learned(hash: string, verdict: SchemaReading): SchemaReading {
    const { unread } = verdict;
    const until = unread === "over" ? this.#now() + AGAIN_MS : Number.POSITIVE_INFINITY;
    if (unread !== "busy") this.#known.set(hash, { verdict, until });
    return verdict;
  }
}

function shown(
  direction: "input" | "output",
  verdict: SchemaReading | undefined,
): FoundSchemaFault[] {
  if (verdict?.fault === undefined) return [];
  const { code, message, path, isExternal } = verdict.fault;
  const at = path === "" || message.includes(path) ? "" : ` (at ${path})`;
  const text = message + at;
  const cut = text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE - 1)}…` : text;
  return [
    {
      ...{ direction, code, message: cut, hint: HINTS[code] },
      ...{ isExternal: isExternal === true, isUnread: verdict.unread !== undefined },
    },
  ];
}
