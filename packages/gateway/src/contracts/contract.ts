import {
  type CompiledSchema,
  type ParsedJson,
  parseJson,
  type SchemaCache,
} from "@touchstone/core/advanced";
import type { HashedDefinition } from "@touchstone/protocol/lock";
import type { ToolDeclaration } from "@touchstone/records/plain";
import { compileRetained, schemaHash } from "./large-schema.ts";
import { nameHash } from "./short-names.ts";

function viewOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/**
 * What one tool promises: its schemas, compiled on first use. A call keeps the contract with which it began, whatever
 * the server declares later.
 */
export class ToolContract {
  readonly name: string;
  readonly inputHash: string | undefined;
  readonly outputHash: string | undefined;
  readonly #declaration: ToolDeclaration;
  readonly #cache: SchemaCache;
  #input: CompiledSchema | undefined;
  #output: CompiledSchema | undefined;
  #mayMirror: boolean | undefined;
  #declared: ParsedJson | undefined;
  #nameHash: string | undefined;

  constructor(declaration: ToolDeclaration, cache: SchemaCache) {
    const { inputSchema, outputSchema } = declaration;
    this.name = declaration.name;
    this.#declaration = declaration;
    this.#cache = cache;
    this.inputHash = declaration.inputHash ?? (inputSchema && schemaHash(inputSchema));
    this.outputHash = declaration.outputHash ?? (outputSchema && schemaHash(outputSchema));
  }

  /** The hash at the end of short names for this tool. */
  get nameHash(): string {
    this.#nameHash ??= nameHash(this.name);
    return this.#nameHash;
  }

  /** Whether its annotations have `destructiveHint: true`; undefined if unknown. */
  get isDestructive(): boolean | undefined {
    return this.#declaration.isDestructive;
  }

  /** Whether its annotations have `readOnlyHint: true`; undefined if unknown. */
  get isReadOnly(): boolean | undefined {
    return this.#declaration.isReadOnly;
  }

  /** The whole declaration; undefined unless tools are pinned, or if it comes from an earlier list. */
  get definition(): HashedDefinition | undefined {
    return this.#declaration.definition;
  }

  get inputText(): Uint8Array | undefined {
    return this.#declaration.inputSchema;
  }

  get outputText(): Uint8Array | undefined {
    return this.#declaration.outputSchema;
  }

  /** Whether a header may repeat one of the arguments (MCP 2026-07-28, Tools, `x-mcp-header`). */
  get mayMirror(): boolean {
    const text = this.inputText;
    this.#mayMirror ??= text !== undefined && viewOf(text).includes('"x-mcp-header"');
    return this.#mayMirror;
  }

  /** The input schema as a value; undefined if there is none, or its text is not JSON. */
  get declared(): unknown {
    const text = this.inputText;
    if (text !== undefined) this.#declared ??= parseJson(text);
    return this.#declared?.ok === true ? this.#declared.value : undefined;
  }

  /** The schema of the arguments; undefined if the tool declares none. */
  get input(): CompiledSchema | undefined {
    const text = this.#declaration.inputSchema;
    if (text !== undefined) this.#input ??= this.#compiled(text);
    return this.#input;
  }

  /** The schema of the structured result; undefined if the tool declares none. */
  get output(): CompiledSchema | undefined {
    const text = this.#declaration.outputSchema;
    if (text !== undefined) this.#output ??= this.#compiled(text);
    return this.#output;
  }

  #compiled(text: Uint8Array): CompiledSchema {
    return compileRetained(text, (whole) => this.#cache.get({ text: whole }));
  }
}
