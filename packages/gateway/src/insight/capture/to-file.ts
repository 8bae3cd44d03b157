import type { Logger } from "@touchstone/util";
import type { Capture } from "../../pipeline/tap.ts";

/**
 * Begins a capture if a file is named; loads nothing otherwise.
 * @throws CaptureError if the file cannot be written
 */
export async function startCapture(
  file: string | undefined,
  log: Logger,
): Promise<Capture | undefined> {
  if (file === undefined) return undefined;
  const { openCapture } = await import("./open.ts");
  return openCapture(file, log);
}
