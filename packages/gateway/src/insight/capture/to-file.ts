import type { Capture } from "../../pipeline/tap.ts";
import type { Logger } from "../../util/log.ts";

/**
 * Begins a capture where a file is named; loads nothing if none is.
 * @throws CaptureError where the file cannot be written
 */
export async function captureTo(
  file: string | undefined,
  log: Logger,
): Promise<Capture | undefined> {
  if (file === undefined) return undefined;
  const { openCapture } = await import("./open.ts");
  return openCapture(file, log);
}
