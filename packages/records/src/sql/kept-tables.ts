import { APPROVALS_TABLES } from "./approvals/tables.ts";
import { CONTRACTS_TABLES } from "./contracts/tables.ts";
import { DRIFT_TABLES } from "./drift/tables.ts";
import { FLEET_TABLES } from "./fleet/tables.ts";
import { PROBLEMS_TABLES } from "./problems/tables.ts";
import { SEARCH_TABLES } from "./search/tables.ts";
import { SESSIONS_TABLES } from "./sessions/tables.ts";
import { VIEWS_TABLES } from "./views/tables.ts";

/** The tables besides those of records. `kept.ts` has the operations on them. */
export const KEPT_TABLES = {
  ...DRIFT_TABLES,
  ...CONTRACTS_TABLES,
  ...APPROVALS_TABLES,
  ...SESSIONS_TABLES,
  ...FLEET_TABLES,
  ...PROBLEMS_TABLES,
  ...SEARCH_TABLES,
  ...VIEWS_TABLES,
} as const;
