import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { codeOf } from "@touchstone/util";

/** Largest file that a reference may name, in bytes. */
export const MAX_SECRET_BYTES: number = 64 * 1024;

/**
 * Reads the text of a file with a secret: a regular file of at most 64 KiB, UTF-8, without NUL. Leaves out a byte order
 * mark and one line break at the end.
 *
 * @returns the text, or what is wrong, without anything of the content
 */
export function readSecretFile(
  file: string,
): { readonly text: string } | { readonly fault: string } {
  let descriptor: number | undefined;
  try {
    // Opening a pipe would otherwise wait for its writer.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) return { fault: "is a directory; name a file in it" };
    if (!stats.isFile()) return { fault: "is not a regular file" };
    const bytes = Buffer.alloc(MAX_SECRET_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    }
    if (length > MAX_SECRET_BYTES) return { fault: `has more than ${MAX_SECRET_BYTES} bytes` };
    return decodeSecret(bytes.subarray(0, length));
  } catch (error) {
    return { fault: faultOf(codeOf(error)) };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function decodeSecret(bytes: Uint8Array): { readonly text: string } | { readonly fault: string } {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (text.includes("\0")) return { fault: "contains the character NUL; save it as UTF-8 text" };
    return { text: text.replace(/\r?\n$/, "") };
  } catch {
    return { fault: "is not UTF-8; save it as UTF-8 text" };
  }
}

function faultOf(code: string): string {
  if (code === "ENOENT" || code === "ENOTDIR")
    return "does not exist; create it, or correct the path";
  if (code === "EACCES" || code === "EPERM") {
    return "cannot be read: its permissions, or those of its directory, do not allow it";
  }
  if (code === "EISDIR") return "is a directory; name a file in it";
  return `cannot be read (${code || "unknown error"})`;
}
