import { readError } from "../io/read-error.ts";
import { type ClientText, readClientFile } from "./client-file.ts";
import type { ClientFile } from "./clients.ts";
import { assertHoldsServers, ClientFileError, type Entry, readEntries } from "./entries.ts";
import type { ReadEntries } from "./shown-change.ts";

/** A client's file and its servers. */
export interface ReadClient {
  readonly file: ClientFile;
  readonly client: ClientText;
  readonly entries: readonly Entry[];
  readonly reader: ReadEntries;
}

/**
 * Reads the servers of a client's file, which is JSON, TOML or YAML by its name.
 * @param isNamed whether the user named the file, in which case it may not be a client's file
 * @throws CliExit 3 if it cannot be read
 */
export async function readClient(file: ClientFile, isNamed: boolean): Promise<ReadClient> {
  try {
    const client = readClientFile(file.path);
    const reader = await readerOf(file);
    const entries = reader(client.text);
    if (isNamed && /\.(?:toml|ya?ml)$/i.test(file.path)) assertSome(entries);
    else if (isNamed) assertHoldsServers(client.text);
    return { file, client, entries, reader };
  } catch (error) {
    throw readError(file.path, error);
  }
}

/** Returns the reader for a file's servers, chosen by the file's name. */
async function readerOf({ path, bareUrl }: ClientFile): Promise<ReadEntries> {
  if (/\.toml$/i.test(path)) return (await import("./toml-entries.ts")).readTomlEntries;
  if (/\.ya?ml$/i.test(path)) return (await import("./yaml-entries.ts")).readYamlEntries;
  if (bareUrl === undefined) return readEntries;
  return (text) => readEntries(text).map((entry) => ({ ...entry, bareUrl }));
}

function assertSome(entries: readonly Entry[]): void {
  if (entries.length > 0) return;
  const wanted = '"mcp_servers" in TOML, "extensions" or "mcpServers" in YAML';
  throw new ClientFileError(`it has no servers of an MCP client: they are under ${wanted}`);
}
