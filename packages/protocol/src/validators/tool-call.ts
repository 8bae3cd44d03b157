import {
  type CheckOptions,
  type CompiledSchema,
  compileDeclared,
  compileOwn,
  decodeUtf8,
  type Issue,
  isObject,
  issuesResult,
  isTool,
  schemaOrNone,
  schemaResult,
  TOOL_FOR_SCHEMA,
  type ValidatorLogger,
  type ValidatorResult,
  validatorResult,
} from "@touchstone/core/advanced";
import { isResultType, TASKS_EXTENSION } from "../extensions.ts";
import { protocolIssue } from "../issue.ts";
import { judgeTypedResult } from "../judge/tool-result.ts";
import { OBJECT } from "../messages/schema.ts";
import { revisionOf } from "../revisions/revisions.ts";
import { envelopeResult } from "./envelope.ts";
import { profileIssue, revisionIssue, safeOption, wireText, withoutThrowing } from "./wire.ts";

/** Input schemas by tool name. */
export type ToolSchemas = Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>;

/** How results are checked, and who receives errors. */
export interface ToolCallValidatorOptions {
  /** The form of a result: MCP's `CallToolResult` (default), or `{status, data, error}`. */
  readonly profile?: "mcp" | "envelope" | undefined;
  /**
   * The `protocolVersion` used to check `CallToolResult` results. By default 2026-07-28 for results with a
   * `resultType`, which earlier revisions do not know, and 2025-11-25 for others.
   */
  readonly revision?: string | undefined;
  /**
   * The extensions that the client has declared, such as `io.modelcontextprotocol/tasks`. From 2026-07-28 on, only a
   * declared extension adds another `resultType` than `complete` and `input_required`. None by default.
   */
  readonly extensions?: readonly string[] | undefined;
  /** Receives the text of every error, once. */
  readonly logger?: ValidatorLogger | undefined;
  /**
   * Limits on arguments: by default 5,242,880 bytes and 64 levels. Unless limits are given, there are none for the
   * schemas `true` and `{}`. There are never any without a schema.
   */
  readonly limits?: CheckOptions | undefined;
}

/** The issue reported if the schemas are a list rather than keyed by tool name. */
const LIST_FOR_SCHEMAS: Issue = {
  path: "",
  message:
    "the schemas are a list of tools; give each by its tool's name, as by new Map(tools.map(({ name, inputSchema }) => [name, inputSchema]))",
  rule: "schema",
  keyword: "schema",
};

/** Arguments are an object, regardless of the tool's schema (MCP, Tools, Calling Tools). */
const ARGUMENTS = compileOwn(OBJECT);

/** Tool names are shown up to this length. */
const MAX_NAME = 120;

/**
 * Validates tool calls and their results. Never throws, whatever the input: problems are in the result, and a tool's
 * schema that cannot be used is an error of rule `schema`.
 */
export class ToolCallValidator {
  readonly #schemas: ToolSchemas | undefined;
  readonly #read: Map<string, CompiledSchema | Issue> = new Map();
  readonly #profile: "mcp" | "envelope";
  readonly #fault: Issue | undefined;
  readonly #revision: string | undefined;
  readonly #extensions: readonly string[];
  readonly #logger: ValidatorLogger | undefined;
  readonly #limits: CheckOptions | undefined;

  /** Each schema is read when its tool is first called, and then kept. */
  constructor(toolSchemas: ToolSchemas, options?: ToolCallValidatorOptions) {
    this.#schemas = toolSchemas;
    const profile = safeOption(options, "profile");
    this.#profile = profile === "envelope" ? "envelope" : "mcp";
    this.#fault = profileIssue(profile, ["mcp", "envelope"]);
    this.#revision = safeOption(options, "revision");
    const extensions: unknown = safeOption(options, "extensions");
    this.#extensions = Array.isArray(extensions) ? extensions : [];
    this.#logger = safeOption(options, "logger");
    this.#limits = safeOption(options, "limits");
  }

  /**
   * Checks a call's arguments against the tool's input schema. `undefined` means that the arguments are absent, which
   * counts as `{}` (MCP, Tools, Calling Tools). Any other value that is not an object is an error.
   */
  validateCall(toolName: string, args: unknown): ValidatorResult {
    return withoutThrowing(
      () => this.#call(toolName, args),
      (issue) => this.#refuse([issue]),
    );
  }

  /** Checks a result, as the JSON text that would be sent for it. */
  validateResult(result: unknown): ValidatorResult {
    return withoutThrowing(
      () => this.#result(result),
      (issue) => this.#refuse([issue]),
    );
  }

  #refuse(errors: readonly Issue[]): ValidatorResult {
    return issuesResult(errors, [], this.#logger);
  }

  #call(toolName: unknown, args: unknown): ValidatorResult {
    if (typeof toolName !== "string") {
      const message = `the name of a tool must be a string, found ${typeof toolName}`;
      return this.#refuse([protocolIssue("", message, "type")]);
    }
    const schema = this.#schema(toolName);
    if (schema === undefined) {
      const message = `Unknown tool: ${toolName.slice(0, MAX_NAME)}`;
      return this.#refuse([protocolIssue("", message, "enum")]);
    }
    if ("message" in schema) return this.#refuse([schema]);
    const value = args === undefined ? {} : args;
    if (!isObject(value)) {
      return schemaResult(ARGUMENTS, value, this.#logger, "the arguments");
    }
    return schemaResult(schema, value, this.#logger, "the arguments", this.#limits);
  }

  /** Returns the schema, or the reason why it cannot be used; undefined if there is no such tool. */
  #schema(name: string): CompiledSchema | Issue | undefined {
    const kept = this.#read.get(name);
    if (kept !== undefined) return kept;
    const schemas = this.#schemas;
    if (typeof schemas !== "object" || schemas === null) return undefined;
    const byMap = schemas instanceof Map;
    if (!(byMap ? schemas.has(name) : Object.hasOwn(schemas, name))) {
      const isList = Array.isArray(schemas) || Array.isArray(Reflect.get(schemas, "tools"));
      return isList ? LIST_FOR_SCHEMAS : undefined;
    }
    const value: unknown = byMap
      ? schemas.get(name)
      : (schemas as Readonly<Record<string, unknown>>)[name];
    const read = isTool(value)
      ? TOOL_FOR_SCHEMA
      : compileDeclared({ value: schemaOrNone(value, this.#limits) });
    this.#read.set(name, read);
    return read;
  }

  /** Returns the issue of a result of a type that no declared extension adds (MCP 2026-07-28, ResultType). */
  #otherType(type: string | undefined): Issue | undefined {
    if (type === undefined) return undefined;
    if (this.#revision !== undefined && revisionOf(this.#revision)?.resultType !== true)
      return undefined;
    const tasks = this.#extensions.includes(TASKS_EXTENSION);
    if (isResultType(type, { tasks, any: this.#extensions.length > 0 })) return undefined;
    const message =
      "resultType must be complete or input_required, as no declared extension adds another one";
    return protocolIssue("/resultType", message, "enum");
  }

  #result(result: unknown): ValidatorResult {
    if (this.#fault !== undefined) return this.#refuse([this.#fault]);
    const wire = wireText(result, false);
    if ("issue" in wire) return this.#refuse([wire.issue]);
    const text = decodeUtf8(wire.bytes);
    if (this.#profile === "envelope") return envelopeResult(JSON.parse(text), this.#logger);
    const unknown = this.#revision === undefined ? undefined : revisionIssue(this.#revision);
    if (unknown !== undefined) return this.#refuse([unknown]);
    const { check, resultType } = judgeTypedResult(text, this.#revision);
    const other = this.#otherType(resultType);
    const all =
      other === undefined ? check : { ...check, valid: false, errors: [...check.errors, other] };
    return validatorResult(all, this.#logger, "the result");
  }
}

/** {@link ToolCallValidator.validateCall} for a single call, with the options of {@link ToolCallValidator}. */
export function validateToolCall(
  toolName: string,
  args: unknown,
  schemas: ToolSchemas,
  options?: Pick<ToolCallValidatorOptions, "limits" | "logger">,
): ValidatorResult {
  return new ToolCallValidator(schemas, options).validateCall(toolName, args);
}
