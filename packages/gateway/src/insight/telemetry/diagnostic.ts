/**
 * A diagnostic of OpenTelemetry's SDK as one sentence. Of an error it tells all members as JSON, with the
 * stack: paths of this machine, and another text each time for one and the same fault.
 * @param message a sentence, or the name of the component that speaks, whose words follow
 * @param rest what was said besides: texts and errors are told, other values are not
 */
export function diagnosticText(message: string, ...rest: readonly unknown[]): string {
  const words = rest.map((word) => (word instanceof Error ? word.message : word));
  return [message, ...words]
    .filter((word): word is string => typeof word === "string" && word !== "")
    .map(sentence)
    .join(": ");
}

function sentence(text: string): string {
  if (!text.startsWith("{")) return text;
  try {
    const told: unknown = JSON.parse(text);
    const isError = typeof told === "object" && told !== null && "message" in told;
    return isError && typeof told.message === "string" ? told.message : text;
  } catch {
    return text;
  }
}
