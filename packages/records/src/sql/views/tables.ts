import type { TableSet } from "../table.ts";

/** Views that were saved in the console. */
export const VIEWS_TABLES = {
  /** Filters with a name: `views.ts`. */
  saved_views: {
    columns: { id: "text", name: "unique", list: "text", query: "text", saved: "text" },
    key: ["id"],
    byKey: true,
    isPersonal: true,
    verified: {
      by: null,
      except: { columns: [], why: "what people save is not about records" },
    },
  },
} as const satisfies TableSet;
