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

type DeclaringKind = "lock file" | "list of tools";

/** What a mock is made of. */
export interface MockSource {
  readonly kind: "capture" | DeclaringKind;
  /** The name of the server. Of a capture, it is known when it has been read. */
  readonly server: string;
  readonly recordings: Recordings;
  /** The kind of the file that declares instead of the capture. */
  readonly declaredBy?: DeclaringKind;
  /** Undefined for a capture alone, whose messages have them. */
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

/**
 * Does what {@link readSource} does, with one file, or with a capture and a file that declares what its server has.
 * It only begins to read a capture alone.
 */
export async function openMockSources(
  files: readonly string[],
  server: string | undefined,
): Promise<MockSource> {
  const [first = "", ...others] = files;
  if (others.length === 0) return openMockSource(first, server);
  for (const file of files) sizeOf(file);
  const captures = files.filter(isCapture);
  const [declaring, ...rest] = files.filter((file) => !captures.includes(file));
  const [capture] = captures;
  if (capture === undefined || declaring === undefined || captures.length + rest.length > 1) {
    throw invalid("of several files, one is a capture, and one a lock file or a list of tools");
  }
  const source = await readSource(capture, server);
  try {
    const wanted = { name: source.server, isOnlyEnough: true };
    const { kind, declarations } = await readDeclarations(declaring, wanted);
    const { recordings } = source;
    return { kind: "capture", declaredBy: kind, server: source.server, recordings, declarations };
  } catch (error) {
    source.recordings.close();
    throw error;
  }
}

/** Does what {@link readSource} does, but only begins to read a capture. */
async function openMockSource(file: string, server: string | undefined): Promise<MockSource> {
  sizeOf(file);
  if (isCapture(file)) return new CaptureSource(Recordings.open(file, server));
  return readDeclarations(file, { name: server });
}

/** Returns the size of a file. @throws CaptureError if it is empty; Error if it is not a file, or cannot be read */
function sizeOf(file: string): number {
  const stat = statSync(file);
  // Opening a pipe would wait for its writer.
  if (!stat.isFile()) {
    const what = stat.isDirectory() ? "a directory" : "not a file";
    throw Object.assign(new Error(`it is ${what}; name a file`), { path: file });
  }
  if (stat.size === 0) throw invalid(`${file}: the file is empty`);
  return stat.size;
}

function isCapture(file: string): boolean {
  return CAPTURE.test(beginningOf(file));
}

/** The server in a lock file: its name, and whether the only server in the file counts whatever its name is. */
interface Wanted {
  readonly name: string | undefined;
  readonly isOnlyEnough?: boolean;
}

type DeclaringSource = MockSource & { readonly kind: DeclaringKind };

async function readDeclarations(file: string, wanted: Wanted): Promise<DeclaringSource> {
  const size = sizeOf(file);
  if (size > MAX_BYTES) {
    throw invalid(`${file}: not a capture, and too large for a lock file: ${size} bytes`);
  }
  const bytes = withoutByteOrderMark(readFileSync(file));
  const parsed = parseJson(bytes);
  const what = "a capture, a lock file, or a tools/list result";
  if (!parsed.ok) throw invalid(`${file}: not ${what}: not JSON: ${parsed.message}`);
  const { value } = parsed;
  if (isObject(value) && "lock_version" in value) return readLocked(file, bytes, wanted);
  const declarations = listedDeclarations(bytes, value);
  if (declarations === undefined) throw invalid(`${file}: not ${what}`);
  if (wanted.name !== undefined && wanted.isOnlyEnough !== true) {
    throw invalid(`${file}: a list of tools has no servers to choose from`);
  }
  const server = basename(file).replace(/\.json$/, "");
  return { kind: "list of tools", server, recordings: Recordings.none(server), declarations };
}

async function readLocked(
  file: string,
  bytes: Uint8Array,
  wanted: Wanted,
): Promise<DeclaringSource> {
  const { lockedServerIn } = await import("./locked-server.ts");
  const { name, locked } = lockedServerIn(file, bytes, wanted);
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
