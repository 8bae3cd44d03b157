import { HOUSEKEEPING, type TableSet } from "../table.ts";

/** Lists of tools, and their changes. */
export const CONTRACTS_TABLES = {
  /** Each schema text, and each tool list, is stored once, however many clients get it. */
  schemas: {
    columns: { id: "id", hash: "unique", text: "bytes", since: "text" },
    verified: { by: "the digest of each text", except: { columns: ["since"], why: HOUSEKEEPING } },
  },
  lists: {
    columns: { id: "id", hash: "unique" },
    verified: { by: "the digest of each list" },
  },
  list_tools: {
    columns: { list: "integer", tool: "text", input: "integer?", output: "integer?" },
    key: ["list", "tool"],
    indexes: [
      { name: "list_tools_input", columns: ["input"], where: "input IS NOT NULL" },
      { name: "list_tools_output", columns: ["output"], where: "output IS NOT NULL" },
    ],
    byKey: true,
    verified: { by: "the digest of each list" },
  },
  list_scopes: {
    columns: {
      server: "text",
      revision: "text",
      authorization: "text",
      list: "integer",
      since: "text",
      used: "text",
    },
    key: ["server", "revision", "authorization"],
    indexes: [
      { name: "list_scopes_list", columns: ["list"] },
      { name: "list_scopes_used", columns: ["server", "used"] },
    ],
    byKey: true,
    verified: {
      by: "the digest in each row",
      except: { columns: ["used"], why: HOUSEKEEPING },
      mayLackRows: true,
    },
  },
  /** Schemas that have changed, in their old and new versions, and earlier definitions from a lock file. */
  changed_schemas: {
    columns: { server: "text", hash: "text", text: "bytes", since: "text" },
    key: ["server", "hash"],
    indexes: [{ name: "changed_schemas_since", columns: ["since"] }],
    verified: {
      by: "the digest of each text",
      except: {
        columns: ["server", "since"],
        why: "texts of earlier schemas, for comparison only",
      },
      mayLackRows: true,
    },
  },
  /** Recorded changes of tools, so that another list of the server does not record them again. */
  list_changes: {
    columns: { server: "text", tool: "text", change: "text", at: "text" },
    key: ["server", "tool", "change"],
    indexes: [{ name: "list_changes_at", columns: ["at"] }],
    verified: {
      by: null,
      except: { columns: [], why: "only says which changes are recorded already" },
    },
  },
} as const satisfies TableSet;
