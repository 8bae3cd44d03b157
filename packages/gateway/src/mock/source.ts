import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { basename } from "node:path";
import { isObject, parseJson, withoutByteOrderMark } from "@touchstone/core/advanced";
import { type LockedServer, lockFaultText, readLock } from "@touchstone/protocol/lock";
import { visible } from "@touchstone/util";
import { CaptureError } from "../insight/capture/errors.ts";
import { type Declarations, listedDeclarations, lockedDeclarations } from "./declarations.ts";
import { Recordings } from "./recordings.ts";

/** How much of a file shows whether it is a capture. */
const BEGINNING_BYTES = 4_096;
/** How a line of a capture begins. */
const CAPTURE = /^\s*\{\s*"(?:touchstone|server|connection|session|time|lost)"\s*:/;
/** Largest lock file or list of tools, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_NAMES = 20;

/** What a mock is made of. */
export interface MockSource {
  readonly kind: "capture" | "lock file" | "list of tools";
  /** The name of the server. */
  readonly server: string;
  readonly recordings: Recordings;
  /** Undefined for a capture, whose messages have them. */
  readonly declarations: Declarations | undefined;
}

/**
 * Reads a capture, a lock file, or a file with a list of tools.
 * @param server the server to use, if the file has several
 * @throws CaptureError if it is none of these, or it is unclear which server is meant; Error if it cannot be read
 */
export async function readSource(file: string, server: string | undefined): Promise<MockSource> {
  const stat = statSync(file);
  // Opening a pipe would wait for its writer.
  if (!stat.isFile()) {
    throw new Error(`it is ${stat.isDirectory() ? "a directory" : "not a file"}; name a file`);
  }
  if (stat.size === 0) throw invalid(`${file}: the file is empty`);
  if (CAPTURE.test(beginningOf(file))) {
    const recordings = await Recordings.read(file, server);
    return { kind: "capture", server: recordings.server, recordings, declarations: undefined };
  }
  if (stat.size > MAX_BYTES) {
    throw invalid(`${file}: not a capture, and too large for a lock file: ${stat.size} bytes`);
  }
  return readDeclarations(file, server);
}

function readDeclarations(file: string, wanted: string | undefined): MockSource {
  const bytes = withoutByteOrderMark(readFileSync(file));
  const parsed = parseJson(bytes);
  const what = "a capture, a lock file, or a tools/list result";
  if (!parsed.ok) throw invalid(`${file}: not ${what}: not JSON: ${parsed.message}`);
  const { value } = parsed;
  if (isObject(value) && "lock_version" in value) return readLocked(file, bytes, wanted);
  const declarations = listedDeclarations(bytes, value);
  if (declarations === undefined) throw invalid(`${file}: not ${what}`);
  if (wanted !== undefined) throw invalid(`${file}: a list of tools has no servers to choose from`);
  const server = basename(file).replace(/\.json$/, "");
  return { kind: "list of tools", server, recordings: Recordings.none(server), declarations };
}

function readLocked(file: string, bytes: Uint8Array, wanted: string | undefined): MockSource {
  const { name, locked } = lockedServerIn(file, bytes, { name: wanted });
  const declarations = lockedDeclarations(name, locked);
  return { kind: "lock file", server: name, recordings: Recordings.none(name), declarations };
}

/**
 * Returns a server of a lock file.
 * @param wanted its name, and whether the only server in the file counts whatever its name is
 * @throws CaptureError if it is not a lock file, or it is unclear which server is meant
 */
export function lockedServerIn(
  file: string,
  bytes: Uint8Array,
  wanted: { readonly name: string | undefined; readonly isOnlyEnough?: boolean },
): { readonly name: string; readonly locked: LockedServer } {
  const read = readLock(bytes);
  if (!read.ok) {
    throw invalid(read.faults.map((fault) => lockFaultText(file, fault)).join("\n"));
  }
  const { servers } = read.lock;
  const listed = [...servers.keys()].slice(0, MAX_NAMES).map((name) => visible(name, 100));
  const names = listed.join(", ");
  if (wanted.name === undefined && servers.size > 1) {
    throw invalid(`${file}: has several servers; choose one with --server: ${names}`);
  }
  const isOnly = wanted.name === undefined || (wanted.isOnlyEnough === true && servers.size === 1);
  const name = isOnly ? [...servers.keys()][0] : wanted.name;
  if (name === undefined) throw invalid(`${file}: has no servers`);
  const locked = servers.get(name);
  if (locked === undefined) {
    throw invalid(`${file}: has no server "${visible(name, 100)}"; it has: ${names}`);
  }
  return { name, locked };
}

function invalid(message: string): CaptureError {
  return new CaptureError("CAPTURE_INVALID", message);
}

function beginningOf(file: string): string {
  const bytes = Buffer.alloc(BEGINNING_BYTES);
  const fd = openSync(file, "r");
  try {
    return withoutByteOrderMark(bytes.subarray(0, readSync(fd, bytes))).toString();
  } finally {
    closeSync(fd);
  }
}
