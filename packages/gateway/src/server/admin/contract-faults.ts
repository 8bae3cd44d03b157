import { compileSchema, type SchemaFault } from "@touchstone/core";
import type { ToolContract } from "../../contracts/contract.ts";
import { compileKept } from "../../contracts/large-schema.ts";
import { BoundedMap } from "../../util/bounded-map.ts";
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

type Judge = (text: Uint8Array) => SchemaFault | undefined;

interface Verdict {
  readonly fault: SchemaFault | undefined;
}

/** What is wrong with a schema, and whether that is a reference to another document. */
export interface FoundFault extends ContractFault {
  readonly isExternal: boolean;
}

/** Finds unusable schemas. Reads each once, in slices that let calls pass. */
export class ContractFaults {
  readonly #known: BoundedMap<string, Verdict> = new BoundedMap(MAX_KNOWN);
  readonly #judge: Judge;

  /** @param judge returns what is wrong with a schema */
  constructor(
    judge: Judge = (text) => compileKept(text, (whole) => compileSchema({ text: whole })).fault,
  ) {
    this.#judge = judge;
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
    let known = this.#known.get(hash);
    if (known !== undefined) return known.fault;
    const turn = threadSlice.turnOf();
    if (turn !== undefined) {
      await turn;
      // Another request for the same schema may have read it meanwhile.
      known = this.#known.get(hash);
      if (known !== undefined) return known.fault;
    }
    const fault = this.#judge(text);
    this.#known.set(hash, { fault });
    return fault;
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
