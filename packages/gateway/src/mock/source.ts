import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { basename } from "node:path";
import { isObject, parseJson, withoutByteOrderMark } from "@touchstone/core/advanced";
import { CaptureError } from "../insight/capture/errors.ts";
import { type Declarations, listedDeclarations, lockedDeclarations } from "./declarations.ts";
import { Recordings } from "./recordings.ts";

/** How much of a file shows whether it is a capture. */
const BEGINNING_BYTES = 4_096;
/** How a line of a capture begins. */
const CAPTURE = /^\s*\{\s*"(?:touchstone|server|connection|session|time|lost)"\s*:/;
/** Largest lock file or list of tools, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/** What a mock is made of. */
export interface MockSource {
  readonly kind: "capture" | "lock file" | "list of tools";
  /** The name of the server. Of a capture, it is known when it has been read. */
  readonly server: string;
  readonly recordings: Recordings;
  /** Undefined for a capture, whose messages have them. */
  readonly declarations: Declarations | undefined;
}

class CaptureSource implements MockSource {
  readonly kind = "capture";
  readonly declarations = undefined;
  readonly recordings: Recordings;

  constructor(recordings: Recordings) {
    this.recordings = recordings;
  }

  get server(): string {
    return this.recordings.server;
  }
}

/**
 * Reads a capture, a lock file, or a file with a list of tools.
 * @param server the server to use, if the file has several
 * @throws CaptureError if it is none of these, or it is unclear which server is meant; Error if it cannot be read
 */
export async function readSource(file: string, server: string | undefined): Promise<MockSource> {
  const source = await openMockSource(file, server);
  try {
    await source.recordings.indexed;
    return source;
  } catch (error) {
    source.recordings.close();
    throw error;
  }
}

/** Does what {@link readSource} does, but only begins to read a capture. */
export async function openMockSource(
  file: string,
  server: string | undefined,
): Promise<MockSource> {
  const stat = statSync(file);
  // Opening a pipe would wait for its writer.
  if (!stat.isFile()) {
    throw new Error(`it is ${stat.isDirectory() ? "a directory" : "not a file"}; name a file`);
  }
  if (stat.size === 0) throw invalid(`${file}: the file is empty`);
  if (CAPTURE.test(beginningOf(file))) {
    return new CaptureSource(Recordings.open(file, server));
  }
  if (stat.size > MAX_BYTES) {
    throw invalid(`${file}: not a capture, and too large for a lock file: ${stat.size} bytes`);
  }
  return readDeclarations(file, server);
}

async function readDeclarations(file: string, wanted: string | undefined): Promise<MockSource> {
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

async function readLocked(
  file: string,
  bytes: Uint8Array,
  wanted: string | undefined,
): Promise<MockSource> {
  const { lockedServerIn } = await import("./locked-server.ts");
  const { name, locked } = lockedServerIn(file, bytes, { name: wanted });
  const declarations = lockedDeclarations(name, locked);
  return { kind: "lock file", server: name, recordings: Recordings.none(name), declarations };
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
