import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, extname, join } from "node:path";
import { PLAYGROUND_POLICY } from "../answers/headers.ts";
import type { ConsoleAsset, ConsoleAssets } from "../console-assets.ts";
import { fileResponse } from "./page.ts";

/**
 * Returns a folder with the output of `packages/console`, which is built into this package so that it is published with
 * it.
 */
function builtFolder(name: string): string {
  const manifest = createRequire(import.meta.url).resolve("@touchstone/http/package.json");
  return join(manifest, "../dist", name);
}

const MANIFEST = "manifest.json";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** The console's built files exist but cannot be served. Build them again. */
export class ConsoleFilesError extends Error {
  override readonly name: string = "ConsoleFilesError";
  readonly code = "console_files";

  constructor(path: string, what: string, cause?: unknown) {
    super(`${path}: ${what}; build the console again`, { cause });
  }
}

/** One entry of Vite's manifest (https://vite.dev/guide/backend-integration), as far as it is read. */
interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly css?: readonly string[];
  readonly assets?: readonly string[];
}

const isNames = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.every((name) => typeof name === "string"));

function isChunk(value: unknown): value is Chunk {
  if (typeof value !== "object" || value === null) return false;
  const { file, css, assets } = value as Record<keyof Chunk, unknown>;
  return typeof file === "string" && isNames(css) && isNames(assets);
}

function isMissing(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT";
}

function readManifest(path: string): readonly Chunk[] | undefined {
  let chunks: unknown[];
  try {
    chunks = Object.values(JSON.parse(readFileSync(path, "utf8")) ?? {});
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw new ConsoleFilesError(path, "the list of files cannot be read", thrown);
  }
  if (!chunks.every(isChunk)) throw new ConsoleFilesError(path, "it is not a list of files");
  return chunks;
}

function readAsset(directory: string, name: string): ConsoleAsset {
  const path = join(directory, name);
  const type = TYPES[extname(name)];
  if (name !== basename(name)) throw new ConsoleFilesError(path, "it lies in a folder");
  if (type === undefined) throw new ConsoleFilesError(path, "files of this kind are not served");
  try {
    const packed = `${path}.gz`;
    const gzip = existsSync(packed) ? new Uint8Array(readFileSync(packed)) : undefined;
    // Vite puts a hash of the content into each name.
    return { type, body: new Uint8Array(readFileSync(path)), gzip, immutable: true };
  } catch (thrown) {
    throw new ConsoleFilesError(path, "it cannot be read", thrown);
  }
}

/**
 * Reads the built console, for the option `console` of the handlers. Needs Node; reads all files at once, about 2 MB,
 * so call it at the start and keep the result.
 * @param directory with Vite's output and its `manifest.json`; default: the one in this package
 * @returns undefined if the console was not built: the page is then a plain list
 * @throws ConsoleFilesError if files are damaged or missing
 */
export function loadConsole(directory: string = builtFolder("console")): ConsoleAssets | undefined {
  const path = join(directory, MANIFEST);
  const chunks = readManifest(path);
  if (chunks === undefined) return undefined;
  const entry = chunks.find(({ isEntry }) => isEntry === true);
  if (entry === undefined) throw new ConsoleFilesError(path, "it has no entry file");
  const names = new Set(
    chunks.flatMap(({ file, css = [], assets = [] }) => [file, ...css, ...assets]),
  );
  const files = new Map([...names].map((name) => [name, readAsset(directory, name)] as const));
  const { file: script, css: styles = [], assets = [] } = entry;
  const fonts = assets.filter((name) => extname(name) === ".woff2");
  return { script, styles, fonts, icon: assets.find((name) => extname(name) === ".svg"), files };
}

/** The built files of the playground, by their names; `index.html` is the page. */
export type PlaygroundFiles = ReadonlyMap<string, ConsoleAsset>;

/**
 * Reads the built playground. Needs Node; reads all files at once, about 1.5 MB.
 * @param directory with `index.html` and the files beside it; default: the one in this package
 * @returns undefined if the playground was not built
 * @throws ConsoleFilesError if a file cannot be read
 */
export function loadPlayground(
  directory: string = builtFolder("playground"),
): PlaygroundFiles | undefined {
  if (!existsSync(join(directory, INDEX))) return undefined;
  const names = readdirSync(directory).filter((name) => extname(name) in TYPES);
  return new Map(
    names.map((name) => {
      const asset = readAsset(directory, name);
      return [name, name === INDEX ? { ...asset, immutable: false } : asset];
    }),
  );
}

const INDEX = "index.html";

/**
 * Returns a file of the playground.
 * @param name of the file; empty for the page
 * @param accepted the request's Accept-Encoding
 * @returns undefined if there is no such file
 */
export function playgroundResponse(
  files: PlaygroundFiles,
  name: string,
  accepted: string,
): Response | undefined {
  const file = files.get(name === "" ? INDEX : name);
  const isPage = name === "" || name === INDEX;
  const headers = isPage ? { "content-security-policy": PLAYGROUND_POLICY } : {};
  return file && fileResponse(file, accepted, headers);
}
