import type { Capture } from "../../pipeline/tap.ts";
import type { Logger } from "../../util/log.ts";

/**
 * Begins a capture if a file is named; loads nothing otherwise.
 * @throws CaptureError if the file cannot be written
 */
export async function captureTo(
  file: string | undefined,
  log: Logger,
): Promise<Capture | undefined> {
  if (file === undefined) return undefined;
  const { openCapture } = await import("./open.ts");
  return openCapture(file, log);
}
