import {
  type Check,
  type CompiledSchema,
  compileDeclared,
  isLossyNumber,
  repairValue,
} from "@touchstone/core/advanced";
import { requireKinds } from "../repair-kinds.ts";
import { InvalidSchemaError, type Side, ToolInputError, ToolOutputError } from "./errors.ts";
import { schemaFaults } from "./faults.ts";
import { jsonCopy } from "./json-copy.ts";
import type { ContractOptions, ContractSide, ToolContract } from "./options.ts";

/** What a tool declares. An undefined or null schema counts as none. */
export interface DeclaredSchemas {
  readonly tool: string;
  readonly input?: unknown;
  readonly output?: unknown;
}

interface Judged {
  readonly schema?: CompiledSchema;
  readonly side: ContractSide;
}

function sideOf(tool: string, which: Side, schema: unknown, options: ContractOptions): Judged {
  if (which === "input" && options.raw === true) {
    return { side: { checked: false, reason: "raw", faults: [] } };
  }
  if (schema === undefined || schema === null) {
    return { side: { checked: false, reason: "no_schema", faults: [] } };
  }
  const compiled = compileDeclared({ value: schema }, { messages: "plain", ...options.compile });
  if (compiled.error === undefined) {
    return { schema: compiled, side: { checked: true, hash: compiled.hash, faults: [] } };
  }
  const faults = schemaFaults(schema, options.compile ?? {});
  if (options.lenient !== true) throw new InvalidSchemaError(tool, which, faults);
  return { side: { checked: false, reason: "unusable_schema", faults } };
}

/** Arguments that may be passed to a handler. */
export interface AcceptedArguments {
  readonly value: unknown;
  /** Whether `value` is a repaired copy of the original. */
  readonly repaired: boolean;
}

/** Matches numbers that a double may not hold: all of them have at least this many digits, or an exponent. */
const MAYBE_LOSSY = /[\d.]{16}|\d[eE]/;
const NUMBERS = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Returns whether a JSON text may contain a number that a double cannot hold. Also counts digits inside strings.
 */
function mayHoldLossyNumber(text: string): boolean {
  return MAYBE_LOSSY.test(text) && (text.match(NUMBERS) ?? []).some(isLossyNumber);
}

/** The schemas of one tool, ready to check its calls. */
export class Contract {
  readonly info: ToolContract;
  readonly #tool: string;
  readonly #input: CompiledSchema | undefined;
  readonly #output: CompiledSchema | undefined;
  readonly #declared: unknown;
  readonly #options: ContractOptions;

  /**
   * @throws InvalidSchemaError for a schema that cannot be used, unless `lenient`
   * @throws TypeError if `repair` is not a list of kinds of repair
   */
  constructor({ tool, input, output }: DeclaredSchemas, options: ContractOptions = {}) {
    requireKinds(options.repair);
    const taken = sideOf(tool, "input", input, options);
    const given = sideOf(tool, "output", output, options);
    this.info = { tool, input: taken.side, output: given.side };
    this.#tool = tool;
    this.#input = taken.schema;
    this.#output = given.schema;
    this.#declared = input;
    this.#options = options;
  }

  /**
   * Checks arguments in memory, whose numbers are doubles.
   * @throws ToolInputError if they break the schema and are not repaired
   */
  accept(value: unknown): unknown {
    const schema = this.#input;
    if (schema === undefined) return value;
    const check = schema.validate(value, this.#options.limits);
    return check === undefined || check.valid ? value : this.#repair(schema, value, check);
  }

  /** Returns whether arguments in memory satisfy the schema, without repairing them. */
  satisfies(value: unknown): boolean {
    const schema = this.#input;
    const check = schema?.validate(value, this.#options.limits);
    return check === undefined || check.valid;
  }

  /**
   * Checks arguments by their JSON text, comparing every number by its digits. The value is the result of
   * `JSON.parse`, or a repaired copy. Arguments with numbers that a double cannot hold are never repaired.
   * @throws ToolInputError if they break the schema, or the text is not JSON
   * @throws SyntaxError if nothing is checked and the text is not JSON
   */
  acceptText(text: string): AcceptedArguments {
    const schema = this.#input;
    if (schema === undefined) return { value: JSON.parse(text), repaired: false };
    const check = schema.validateText(text, this.#options.limits);
    if (check.valid) return { value: JSON.parse(text), repaired: false };
    const parsed = check.warnings.length === 0 && parse(text);
    if (parsed === false) throw new ToolInputError(this.#tool, check);
    // There is a warning for each number that a double cannot hold. Without one, `JSON.parse` loses nothing.
    return { value: this.#repair(schema, parsed.value, check, true), repaired: true };
  }

  #repair(schema: CompiledSchema, value: unknown, check: Check, exact: boolean = false): unknown {
    const { repair = [], onRepair, limits } = this.#options;
    const declared = this.#declared;
    const repaired = repairValue({ schema, declared, value, check, repair, exact, limits });
    if (repaired === undefined) throw new ToolInputError(this.#tool, check);
    onRepair?.({ tool: this.#tool, patch: repaired.patch, repairs: repaired.repairs });
    return repaired.value;
  }

  /**
   * Checks, by their digits, the numbers in the JSON text of arguments that {@link accept} has accepted.
   * @throws ToolInputError if they break the schema in a way that doubles hide
   */
  confirmNumbers(text: string): void {
    if (mayHoldLossyNumber(text)) this.#confirm(text);
  }

  /**
   * {@link confirmNumbers}, and also checks that the text is complete, for arguments read from a text that may have
   * been cut off.
   * @throws ToolInputError also if it is not JSON
   */
  confirmText(text: string): void {
    if (mayHoldLossyNumber(text) || parse(text) === false) this.#confirm(text);
  }

  #confirm(text: string): void {
    const check = this.#input?.validateText(text, this.#options.limits);
    if (check !== undefined && !check.valid) throw new ToolInputError(this.#tool, check);
  }

  /**
   * Checks what a handler returned.
   * @throws ToolOutputError if it breaks the output schema
   */
  acceptResult(value: unknown): void {
    const schema = this.#output;
    const check = schema?.validate(value, this.#options.limits);
    if (check !== undefined && !check.valid) throw new ToolOutputError(this.#tool, check);
  }

  /**
   * {@link acceptResult} for a result that is sent as its JSON text. Checks the value in that text: null for NaN, a
   * string for a date. A result that has no JSON text is checked as it is.
   * @throws ToolOutputError if that breaks the output schema
   */
  acceptSent(value: unknown): void {
    if (this.#output !== undefined) this.acceptResult(jsonCopy(value));
  }

  /**
   * {@link acceptResult} for a result that may be a promise.
   * @returns the result, or a promise for it that rejects if it breaks the schema
   */
  acceptResultOf(result: unknown): unknown {
    if (isThenable(result)) {
      return Promise.resolve(result).then((value) => {
        this.acceptResult(value);
        return value;
      });
    }
    this.acceptResult(result);
    return result;
  }

  /**
   * Checks what a handler returned as JSON text.
   * @throws ToolOutputError if it is not JSON or breaks the output schema
   */
  acceptResultText(text: string): void {
    const check = this.#output?.validateText(text, this.#options.limits);
    if (check !== undefined && !check.valid) throw new ToolOutputError(this.#tool, check);
  }
}

function parse(text: string): { readonly value: unknown } | false {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return false;
  }
}

/** Returns whether a value is a promise or behaves like one. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
  return isObject && typeof (value as { then?: unknown }).then === "function";
}
