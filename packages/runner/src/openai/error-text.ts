import { ToolInputError, ToolOutputError } from "../contract/errors.ts";

/** Our texts are for the model; where the tool promises a shape for its results, they are thrown. */
export function failed(error: unknown, isTyped: boolean): string {
  const isOurs = error instanceof ToolInputError || error instanceof ToolOutputError;
  if (!isOurs || isTyped) throw error;
  return error.message;
}

/** What the SDK tells the model by default; the error itself is for the author. */
const GENERIC = "An error occurred while running the tool. Please try again.";

/** What the SDK itself throws before a handler runs whose schema it does not check. */
const NOT_JSON = "The arguments are not valid JSON. Correct them and call the tool again.";

/**
 * Returns the `errorFunction` of checked tools: our text where arguments or a result break a schema or are
 * not JSON, else the SDK's general one, which tells nothing of the error.
 */
export function errorText(_context: unknown, error: unknown): string {
  if (error instanceof ToolInputError || error instanceof ToolOutputError) return error.message;
  const isNotJson = error instanceof Error && error.constructor.name === "InvalidToolInputError";
  return isNotJson ? NOT_JSON : GENERIC;
}
