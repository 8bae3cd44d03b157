import { readFileSync, statSync } from "node:fs";
import { codeOf } from "@touchstone/util";
import { ConfigError, type ConfigFaultCode } from "./faults.ts";

/** Largest configuration that is read, in bytes. */
export const MAX_CONFIG_BYTES: number = 1024 * 1024;

/**
 * Reads a configuration file: a regular file, at most 1 MiB, UTF-8.
 *
 * @throws {ConfigError} with one fault, without line and column
 */
export function readConfigFile(file: string): string {
  try {
    const stats = statSync(file);
    // Opening a pipe or a device could block forever.
    if (!stats.isFile()) {
      const what = stats.isDirectory() ? "is a directory" : "is not a regular file";
      throw refused(file, "FILE_UNREADABLE", `${what}; name a file`);
    }
    if (stats.size > MAX_CONFIG_BYTES) throw configTooLarge(file);
    return decode(file, readFileSync(file));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const code = codeOf(error) || "unknown error";
    if (code === "ENOENT" || code === "ENOTDIR") {
      // Users may expect `-` to mean standard input.
      const message =
        file === "-"
          ? "standard input is not read here; name a file"
          : "there is no such file; create it or name another one";
      throw refused(file, "FILE_NOT_FOUND", message, error);
    }
    const isForbidden = code === "EACCES" || code === "EPERM";
    const message = isForbidden
      ? "reading it is not permitted; check its permissions and its directory's"
      : `cannot be read (${code}); name another file`;
    throw refused(file, "FILE_UNREADABLE", message, error);
  }
}

/** Returns the fault of a configuration over {@link MAX_CONFIG_BYTES}. */
export function configTooLarge(file: string): ConfigError {
  const message = `has more than ${MAX_CONFIG_BYTES} bytes, the limit for a configuration`;
  return refused(file, "FILE_TOO_LARGE", message);
}

function decode(file: string, bytes: Uint8Array): string {
  if (bytes.length > MAX_CONFIG_BYTES) throw configTooLarge(file);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw refused(file, "FILE_ENCODING", "is not UTF-8; save it as UTF-8", error);
  }
}

function refused(
  file: string,
  code: ConfigFaultCode,
  message: string,
  cause?: unknown,
): ConfigError {
  return new ConfigError([{ code, file, path: "", message }], 0, { cause });
}
