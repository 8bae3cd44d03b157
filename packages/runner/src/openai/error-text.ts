import { ToolInputError, ToolOutputError } from "../contract/errors.ts";

/**
 * Returns our errors as text for the model; throws them if the tool promises a shape for its results. Throws all
 * other errors.
 */
export function errorForModel(error: unknown, isTyped: boolean): string {
  const isOurs = error instanceof ToolInputError || error instanceof ToolOutputError;
  if (!isOurs || isTyped) throw error;
  return error.message;
}

/** What the SDK tells the model by default; the error itself is for the author only. */
const GENERIC = "An error occurred while running the tool. Please try again.";

/** The texts for the error that the SDK itself throws before it runs a handler: by its reason, which the SDK may hide. */
const NOT_JSON = "The arguments are not valid JSON. Correct them and call the tool again.";
const NOT_TAKEN = "The arguments were not accepted. Correct them and call the tool again.";
const EITHER =
  "The arguments were not accepted: they are not valid JSON, or not what the tool takes. Correct them and call the tool again.";

/**
 * Returns the text that the model gets, as the `errorFunction` of checked tools: ours if arguments or a result break
 * a schema or cannot be read, else the SDK's general one, which reveals nothing about the error.
 */
export function errorText(_context: unknown, error: unknown): string {
  if (error instanceof ToolInputError || error instanceof ToolOutputError) return error.message;
  const isOfInput = error instanceof Error && error.constructor.name === "InvalidToolInputError";
  if (!isOfInput) return GENERIC;
  const reason: unknown = Reflect.get(error, "originalError");
  if (reason === undefined) return EITHER;
  return reason instanceof SyntaxError ? NOT_JSON : NOT_TAKEN;
}
