import type { TableName } from "./tables.ts";

/** What verification knows about a table. */
export interface Coverage {
  /** What its rows are compared with; null if with nothing. */
  readonly checked: string | null;
  /** Columns that are compared with nothing, or the whole table, and why. */
  readonly except?: { readonly columns: readonly string[]; readonly why: string };
  /** Whether rows that somebody removes go unnoticed, since gateways remove old ones as well. */
  readonly mayLackRows?: boolean;
}

const TIMES = "times of housekeeping";
const RUNNING = "the state of running gateways";

/** One entry for each table, so that a new table is not left out of verification by oversight. */
export const COVERAGE: { readonly [Table in TableName]: Coverage } = {
  activity: { checked: "the hash chains" },
  chains: {
    checked: "the records",
    except: {
      columns: ["skew_ms", "pruned_id"],
      why: "bounds: only a value that cannot be is noticed",
    },
  },
  version: { checked: null, except: { columns: [], why: "versions of the tables" } },
  tally: { checked: "a recount of the records" },
  rollup: { checked: "a recount of the records" },
  rollup_chains: { checked: "a recount of the records" },
  drift: {
    checked: "the digest in each row",
    except: { columns: ["since", "until"], why: TIMES },
    mayLackRows: true,
  },
  schemas: { checked: "the digest of each text", except: { columns: ["since"], why: TIMES } },
  lists: { checked: "the digest of each list" },
  list_tools: { checked: "the digest of each list" },
  list_scopes: {
    checked: "the digest in each row",
    except: { columns: ["used"], why: TIMES },
    mayLackRows: true,
  },
  changed_schemas: {
    checked: "the digest of each text",
    except: { columns: ["server", "since"], why: "texts of earlier schemas, for comparison only" },
    mayLackRows: true,
  },
  list_changes: {
    checked: null,
    except: { columns: [], why: "only says which changes are recorded already" },
  },
  pins: {
    checked: "records of approvals",
    except: {
      columns: ["since", "decided", "locked_hash", "text"],
      why: "shown to people who approve; no decision rests on them. Of text, only its removal is not noticed",
    },
  },
  pin_first_uses: {
    checked: "records of approvals",
    except: { columns: ["since"], why: "shown to people only" },
  },
  pin_versions: {
    checked: "the servers in table pins",
    except: { columns: ["version"], why: "a counter that makes gateways read approvals again" },
  },
  gateways: { checked: null, except: { columns: [], why: RUNNING } },
  tasks: { checked: null, except: { columns: [], why: RUNNING } },
  bookmarks: { checked: null, except: { columns: [], why: RUNNING } },
  requests: { checked: null, except: { columns: [], why: RUNNING } },
};
