/**
 * Returns the schema of an object in which all of these members are required. Some model providers refuse optional
 * arguments, and some refuse `additionalProperties`.
 */
export function objectSchema(properties: object): object {
  return { type: "object", properties, required: Object.keys(properties) };
}

export const text = (description: string): object => ({ type: "string", description });
export const count = (description: string): object => ({
  type: "integer",
  minimum: 0,
  description,
});
export const flag = (description: string): object => ({ type: "boolean", description });
export const list = (items: object, description: string): object => ({
  type: "array",
  items,
  description,
});

/** What `check`, `lint` and `lock --check` return. */
export const REPORT: object = objectSchema({
  name: text("What was examined."),
  examined: count("Tools and other things that were examined."),
  errors: count("Findings of this level."),
  warnings: count("Findings of this level."),
  notes: count("Findings of this level."),
  findings: list(
    objectSchema({
      level: { type: "string", enum: ["error", "warning", "note"], description: "How severe." },
      rule: text("The rule, in the form of touchstone's reports."),
      subject: text("The tool, or a response of the server."),
      path: text("A JSON Pointer into the subject; empty for all of it."),
      message: text("What is wrong."),
      fix: text("What to do; empty if the message shows it."),
    }),
    "The most severe first.",
  ),
  omitted: count("Findings that are not listed."),
});

/** What `validate_value` returns. */
export const CHECK: object = objectSchema({
  valid: flag("Whether the schema accepts the value."),
  outcome: text(
    "pass, fail, uncompilable (the schema cannot be used), malformed (the value is not JSON) or another reason.",
  ),
  issues: list(
    objectSchema({
      path: text("A JSON Pointer into the value, or into the schema if that cannot be used."),
      message: text("What is wrong there."),
    }),
    "What is wrong.",
  ),
  omitted: count("Issues that are not listed."),
});

/** What `explain_call` returns. */
export const EXPLANATION: object = objectSchema({
  explanation: text("The call, what was decided about it and why, and the next attempt."),
});
