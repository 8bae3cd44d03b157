import { compileAtOnce, type SchemaFault } from "@touchstone/core";
import type { ToolContract } from "../../contracts/contract.ts";
import { compileKept } from "../../contracts/large-schema.ts";
import { BoundedMap } from "../../util/bounded-map.ts";
import { JobThread } from "../../util/job-thread.ts";
import { threadSlice } from "../../util/time-slice.ts";
import type { ContractFault } from "../api/schemas.ts";

/** How many verdicts about schemas to keep, by hash. */
const MAX_KNOWN = 50_000;
const MAX_MESSAGE = 1_000;

const HINTS: Readonly<Record<SchemaFault["code"], string>> = {
  unknown_dialect: "Name a supported dialect in $schema (draft-04 to 2020-12), or none.",
  invalid_json: "Let the server send the schema as JSON.",
  not_a_schema: "A schema is an object, true or false.",
  metaschema: "Correct the keyword that the message names; its dialect does not allow the value.",
  too_large: "Split the schema, or leave out what no call needs.",
  too_deep: "Nest less, or refer to definitions with $ref.",
  too_many_subschemas: "Split the schema, or leave out what no call needs.",
  unresolved_reference: "Put what $ref refers to into the schema itself, under $defs.",
  reference_loop: "Let the reference lead into a member or an item, or take it out.",
  invalid_pattern:
    "Correct the regular expression: ECMA-262, without what only other engines know.",
  uncompilable: "Simplify the schema, starting with the keyword that the message names.",
};

/** Returns what is wrong with a schema, maybe after a while. */
type Judge = (text: Uint8Array) => Verdict | Promise<Verdict>;

interface Verdict {
  /** Undefined if nothing is wrong. */
  readonly fault: SchemaFault | undefined;
  /** Whether the schema was not read to its end, so that another attempt may find something else. */
  readonly isOpen?: true;
}

const MAX_MS = 20_000;
const thread: JobThread<Uint8Array, SchemaFault | null> = new JobThread({
  program: "server/admin/schema-fault-entry",
  maxMs: MAX_MS,
  maxHeapMb: 512,
  maxWaiting: 64,
});

/** What is found if the thread does not get to the end: calls are not checked by such a schema either. */
const NOT_READ: Verdict = {
  fault: {
    code: "uncompilable",
    message: `whether the schema can be used is not known: the thread that reads it was busy, or took more than ${MAX_MS / 1_000} s or too much memory`,
    path: "",
  },
  isOpen: true,
};

/** Reads a short schema at once, and any other on a thread. */
function judge(text: Uint8Array): Verdict | Promise<Verdict> {
  const now = compileKept(text, compileAtOnce);
  return now === undefined ? judgeOnThread(text) : { fault: now.fault };
}

async function judgeOnThread(text: Uint8Array): Promise<Verdict> {
  const fault = await thread.run(text).catch(() => undefined);
  return fault === undefined ? NOT_READ : { fault: fault ?? undefined };
}

/** What is wrong with a schema, and whether that is a reference to another document. */
export interface FoundFault extends ContractFault {
  readonly isExternal: boolean;
}

/** Finds unusable schemas. Reads each once: in slices that let calls pass, and on a thread if it is long. */
export class ContractFaults {
  readonly #known: BoundedMap<string, Verdict> = new BoundedMap(MAX_KNOWN);
  /** Those that are being read, by hash. */
  readonly #reading: Map<string, Promise<Verdict>> = new Map();
  readonly #judge: Judge;

  /** @param given returns what is wrong with a schema */
  constructor(given: Judge = judge) {
    this.#judge = given;
  }

  /** Returns what is wrong with a tool's schemas; empty if nothing is. */
  async of(contract: ToolContract): Promise<readonly FoundFault[]> {
    const turn = threadSlice.turnOf();
    if (turn !== undefined) await turn;
    const { inputHash, inputText, outputHash, outputText } = contract;
    const input = await this.#read(inputHash, inputText);
    const output = await this.#read(outputHash, outputText);
    return [
      ...(input === undefined ? [] : [shown("input", input)]),
      ...(output === undefined ? [] : [shown("output", output)]),
    ];
  }

  async #read(
    hash: string | undefined,
    text: Uint8Array | undefined,
  ): Promise<SchemaFault | undefined> {
    if (hash === undefined || text === undefined) return undefined;
    const known = this.#known.get(hash);
    if (known !== undefined) return known.fault;
    let reading = this.#reading.get(hash);
    if (reading === undefined) {
      reading = this.#readNow(hash, text).finally(() => this.#reading.delete(hash));
      this.#reading.set(hash, reading);
    }
    return (await reading).fault;
  }

  async #readNow(hash: string, text: Uint8Array): Promise<Verdict> {
    const turn = threadSlice.turnOf();
    if (turn !== undefined) await turn;
    const verdict = await this.#judge(text);
    if (verdict.isOpen !== true) this.#known.set(hash, verdict);
    return verdict;
  }
}

function shown(
  direction: "input" | "output",
  { code, message, path, isExternal }: SchemaFault,
): FoundFault {
  const at = path === "" || message.includes(path) ? "" : ` (at ${path})`;
  const text = message + at;
  const cut = text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE - 1)}…` : text;
  return { direction, code, message: cut, hint: HINTS[code], isExternal: isExternal === true };
}
