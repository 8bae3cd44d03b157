import { TouchstoneError } from "@touchstone/util";

/** What can go wrong with a capture. */
export const CAPTURE_ERRORS = {
  CAPTURE_UNWRITABLE: [500, "The file of the capture cannot be written"],
  CAPTURE_INVALID: [
    400,
    "The file is not a capture or a lock file, or does not have what was asked for",
  ],
} as const;

/** A capture that cannot begin, or cannot be used. */
export class CaptureError extends TouchstoneError<keyof typeof CAPTURE_ERRORS> {
  constructor(code: keyof typeof CAPTURE_ERRORS, message: string, options?: ErrorOptions) {
    super("CaptureError", CAPTURE_ERRORS, code, message, options);
  }
}
