import { hashOf } from "./route.ts";

const VIEW = "client";

/** The client and the tool of a preview; empty texts for no client and for all tools. */
export interface ClientPreview {
  readonly client: string;
  readonly caller: string;
  readonly tool: string;
}

/** Reads the client of a preview from an address; undefined if the address is that of the server's own page. */
export function readClientPreview(query: string): ClientPreview | undefined {
  const given = new URLSearchParams(query);
  if (given.get("view") !== VIEW) return undefined;
  const [client = "", caller = "", tool = ""] = ["client", "caller", "tool"].map(
    (name) => given.get(name) ?? "",
  );
  return { client, caller, tool };
}

/** Returns the address of a server's list as a client sees it. */
export function clientPreviewHash(server: string, look: Partial<ClientPreview> = {}): string {
  return hashOf("servers", server, { view: VIEW, ...look });
}
