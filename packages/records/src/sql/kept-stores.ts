import { lateImport } from "@touchstone/util";
import type { ActivityStore } from "../store.ts";
import type { createApprovalLog } from "./approvals/log.ts";
import type { Database } from "./database.ts";

const contractStore = lateImport(() => import("./contracts/store.ts"));
const pinStore = lateImport(() =>
  Promise.all([import("./approvals/store.ts"), import("./approvals/log.ts")]),
);
const driftStore = lateImport(() => import("./drift/store.ts"));
const problemStore = lateImport(() => import("./problems/store.ts"));
const sessionStore = lateImport(() => import("./sessions/store.ts"));
const viewStore = lateImport(() => import("./views/store.ts"));

/** What the stores beside the records need. */
export interface KeptStoresParts {
  readonly db: Database;
  readonly now: () => Date;
  /** The log in which approvals are recorded. */
  readonly log: Parameters<typeof createApprovalLog>[0];
}

/**
 * Returns the stores beside the records, of either database. Their code is loaded on first use, so that it does not
 * delay the start of a gateway.
 */
export function keptStores({
  db,
  now,
  log,
}: KeptStoresParts): Pick<
  ActivityStore,
  "contracts" | "pins" | "shapes" | "consoleSessions" | "problemIgnores" | "views"
> {
  return {
    contracts: onFirstUse(async () => (await contractStore()).createContractStore(db, now)),
    pins: onFirstUse(async () => {
      const [{ createPinStore }, { createApprovalLog }] = await pinStore();
      return createPinStore(db, now, createApprovalLog(log));
    }),
    shapes: onFirstUse(async () => (await driftStore()).createDriftStore(db, now)),
    problemIgnores: onFirstUse(async () => (await problemStore()).createProblemIgnores(db)),
    consoleSessions: onFirstUse(async () => (await sessionStore()).createSessionStore(db)),
    views: onFirstUse(async () => (await viewStore()).createViewStore(db)),
  };
}

type Method = (...of: readonly unknown[]) => Promise<unknown>;

/** Returns a store that is made when one of its methods is called. All members must be methods that return promises. */
function onFirstUse<Store extends object>(make: () => Promise<Store>): Store {
  let made: Promise<Store> | undefined;
  const methods: Record<string, Method> = {};
  return new Proxy(methods, {
    get(known, name) {
      // A store must not look like a promise when it is awaited.
      if (typeof name !== "string" || name === "then") return undefined;
      known[name] ??= async (...of) => {
        made ??= make();
        const store = (await made) as Readonly<Record<string, Method>>;
        return store[name]?.(...of);
      };
      return known[name];
    },
  }) as object as Store;
}
