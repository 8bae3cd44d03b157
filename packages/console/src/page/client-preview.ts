import { hashOf } from "./route.ts";

const VIEW = "client";

/** Who looks at which tool; empty texts for nobody in particular, and all. */
export interface ClientPreview {
  readonly client: string;
  readonly caller: string;
  readonly tool: string;
}

/** Reads who looks from an address; undefined if it is of the server's own page. */
export function readClientPreview(query: string): ClientPreview | undefined {
  const given = new URLSearchParams(query);
  if (given.get("view") !== VIEW) return undefined;
  const [client = "", caller = "", tool = ""] = ["client", "caller", "tool"].map(
    (name) => given.get(name) ?? "",
  );
  return { client, caller, tool };
}

/** The address of a server's list as a client sees it. */
export function clientPreviewHash(server: string, look: Partial<ClientPreview> = {}): string {
  return hashOf("servers", server, { view: VIEW, ...look });
}
