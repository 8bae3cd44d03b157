import type { IncomingMessage } from "node:http";
import { loadPlayground, type PlaygroundFiles, playgroundResponse } from "@touchstone/http/console";
import { isReadMethod } from "./mcp-routes.ts";
import { plainResponse } from "./responses.ts";

/** The path of the playground. */
export const PLAYGROUND = "/playground";

let loaded: { readonly files: PlaygroundFiles | undefined } | undefined;

/** Returns the files of the playground, which are those of the installation; undefined if they were not built. */
function filesOf(): PlaygroundFiles | undefined {
  loaded ??= { files: loadPlayground() };
  return loaded.files;
}

/** Returns whether a request reads the playground: its files contain no data, so no key is needed. */
export function readsPlayground(request: IncomingMessage): boolean {
  return isReadMethod(request) && filesOf() !== undefined;
}

/** Answers a read of the playground; undefined if it was not built. */
export function playgroundPage(request: IncomingMessage, path: string): Response | undefined {
  const files = filesOf();
  if (files === undefined || !isReadMethod(request)) return undefined;
  // Its links are relative to the folder, even if a proxy adds a prefix.
  if (path === PLAYGROUND) {
    return new Response(null, { status: 308, headers: { location: `.${PLAYGROUND}/` } });
  }
  const accepted = [request.headers["accept-encoding"]].flat().join();
  const name = path.slice(PLAYGROUND.length + 1);
  return (
    playgroundResponse(files, name, accepted) ??
    plainResponse(404, { error: "The playground has no such file." })
  );
}
