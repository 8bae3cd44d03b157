/** The version of the format, on a capture's first line. */
export const CAPTURE_VERSION = 1;
