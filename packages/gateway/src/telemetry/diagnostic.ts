/**
 * A diagnostic of OpenTelemetry's SDK as one sentence. Of an error it tells all members as JSON, with the
 * stack: paths of this machine, and another text each time for one and the same fault.
 */
export function diagnosticText(message: string): string {
  if (!message.startsWith("{")) return message;
  try {
    const told: unknown = JSON.parse(message);
    const isError = typeof told === "object" && told !== null && "message" in told;
    return isError && typeof told.message === "string" ? told.message : message;
  } catch {
    return message;
  }
}
