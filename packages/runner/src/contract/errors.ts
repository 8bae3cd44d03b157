import {
  type Check,
  modelLines,
  quote,
  quotePointer,
  renderForModel,
  type SchemaError,
} from "@touchstone/core/advanced";

/** The side of a tool that an {@link InvalidSchemaError} is about: its input or its output. */
export type Side = "input" | "output";

/**
 * A tool cannot be built, because a schema that it declares cannot be used. The message lists every fault with its
 * place and code. Thrown at construction, never by a call.
 */
export class InvalidSchemaError extends Error {
  readonly code = "invalid_schema" as const;
  readonly tool: string;
  readonly side: Side;
  /** All faults, at most 20, each with an RFC 6901 pointer into the schema. */
  readonly faults: readonly SchemaError[];

  constructor(tool: string, side: Side, faults: readonly SchemaError[]) {
    const count = faults.length === 1 ? "1 fault" : `${faults.length} faults`;
    const lines = faults.map(
      ({ path, message, code }) => `- ${quotePointer(path, "the schema")}: ${message} (${code})`,
    );
    super(
      [
        `The ${side} schema of the tool ${quote(tool, 128)} cannot be used, ${count}:`,
        ...lines,
        "Fix the schema, or pass `lenient: true` to run the tool without this check.",
      ].join("\n"),
    );
    this.name = "InvalidSchemaError";
    this.tool = tool;
    this.side = side;
    this.faults = faults;
  }
}

/**
 * The arguments of a call break the tool's input schema; the handler did not run. The message is written for a model
 * (MCP 2025-11-25, server/tools, "Error Handling") and contains no argument values.
 */
export class ToolInputError extends Error {
  readonly code = "invalid_arguments" as const;
  readonly tool: string;
  /** Everything that is wrong. */
  readonly check: Check;

  constructor(tool: string, check: Check) {
    super(renderForModel(check, { tool }));
    this.name = "ToolInputError";
    this.tool = tool;
    this.check = check;
  }
}

/**
 * A handler's result breaks the tool's output schema. The handler has run; the message tells the model that other
 * arguments may not help.
 */
export class ToolOutputError extends Error {
  readonly code = "invalid_result" as const;
  readonly tool: string;
  /** Everything that is wrong. */
  readonly check: Check;

  constructor(tool: string, check: Check) {
    const lines = modelLines(check, { whole: "the result" }).map((line) => `- ${line}`);
    super(
      [
        `The tool ${quote(tool, 128)} ran, and its result does not match its output schema.`,
        ...lines,
        "This is a fault of the tool. Do not rely on the result; calling again may run it twice.",
      ].join("\n"),
    );
    this.name = "ToolOutputError";
    this.tool = tool;
    this.check = check;
  }
}
