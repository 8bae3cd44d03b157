import { encodeUtf8, isObject, parseJson } from "@touchstone/core/advanced";
import { toolTexts } from "@touchstone/protocol/advanced";
import {
  type LockedDefinition,
  type LockedServer,
  lockedDefinition,
} from "@touchstone/protocol/lock";
import { type ReportOptions, withFailureReport } from "../findings/unreadable-input.ts";
import { CliExit, EXIT_FAILED } from "../io/exit.ts";
import type { ProcessIo } from "../io/process-io.ts";
import { exitOnServerFailure, unreachableText, withConnection } from "../servers/server-failure.ts";
import { safeText } from "../terminal/safe-text.ts";
import { findToolSource, type ListedOptions, type ToolSource } from "../tools/list-tools.ts";

type LockIo = ProcessIo & { readonly version: string; readonly args: readonly string[] };

/** The declarations of a server or of a file with tools, and the server's own name. */
export interface DeclaredServer {
  readonly name: string;
  readonly server: LockedServer;
}

/**
 * Fetches all declarations of a server that can be locked. A file only has tools.
 * @param words as returned by `splitServerWords`
 * @throws CliExit 2 for a wrong file, 3 if the server does not respond or returns an incomplete list: if a lock
 *   lacked tools, they would later be reported as new
 */
export async function fetchDeclarations(
  words: readonly string[],
  options: Omit<ListedOptions, keyof ReportOptions>,
  reporting: ReportOptions,
  io: LockIo,
): Promise<DeclaredServer> {
  const subject = await findToolSource(words, options, io);
  return withFailureReport(subject.name, subject.rule, reporting, io, async () => {
    const server = await (subject.target === undefined
      ? serverOfFile(subject)
      : askedServer(subject.target, options, io));
    return { name: subject.name, server };
  });
}

async function serverOfFile({ name, list }: ToolSource): Promise<LockedServer> {
  const { texts, partial } = await list();
  if (partial !== undefined) throw new CliExit(EXIT_FAILED, "the list is incomplete");
  return { tools: byKey(name, texts(), "name") };
}

function askedServer(
  target: NonNullable<ToolSource["target"]>,
  options: { readonly timeout: number },
  io: LockIo,
): Promise<LockedServer> {
  return exitOnServerFailure(unreachableText(target), () =>
    withConnection(target, options, io, async (connection, progress) => {
      progress.show("listing …");
      const pages: string[] = [];
      await connection.listTools((page) => pages.push(page));
      const tools = pages.flatMap((page) => toolTexts(encodeUtf8(page), "/tools"));
      const prompts = await connection.listTexts("prompts");
      const templates = await connection.listTexts("resourceTemplates");
      const { about, isCut, revision } = connection;
      if (isCut) throw new Error("one of its lists is incomplete; touchstone check shows why");
      return {
        identity: about.identity,
        protocolVersion: revision,
        instructions: about.instructions ?? null,
        tools: byKey(target.name, tools, "name"),
        prompts: byKey(target.name, prompts, "name"),
        resourceTemplates: byKey(target.name, templates, "uriTemplate"),
      };
    }),
  );
}

/**
 * Returns definitions by name. If several have the same name, the last one counts, as in the gateway.
 * @throws CliExit 3 if one of them has no name
 */
function byKey(
  server: string,
  texts: readonly string[],
  key: "name" | "uriTemplate",
): ReadonlyMap<string, LockedDefinition> {
  const definitions = new Map<string, LockedDefinition>();
  for (const [at, text] of texts.entries()) {
    const parsed = parseJson(text);
    const name = parsed.ok && isObject(parsed.value) ? parsed.value[key] : undefined;
    const definition = lockedDefinition(text);
    if (typeof name !== "string" || definition === undefined) {
      const what = `entry ${at} of a list has no "${key}"; touchstone check shows more`;
      throw new CliExit(EXIT_FAILED, `${safeText(server)} cannot be locked: ${what}`);
    }
    definitions.set(name, definition);
  }
  return definitions;
}
