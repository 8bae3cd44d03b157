import type { PinStore } from "../contracts/pin-store.ts";
import type { ContractStore } from "../contracts/store.ts";
import type { RequestStore } from "../records/request-store.ts";
import type { TaskStore } from "../records/task-store.ts";

/** Does work in a store that may fail, and waits for it no longer than the caller may wait. */
export type StoreWork = <T>(work: () => Promise<T>) => Promise<T>;

/** Returns the contracts of the store that is current at each call. */
export function guardedContracts(work: StoreWork, store: () => ContractStore): ContractStore {
  return {
    replace: (scope, listed, again) => work(() => store().replace(scope, listed, again)),
    used: (scope) => work(() => store().used(scope)),
    tool: (scope, name) => work(() => store().tool(scope, name)),
    toolNames: (server) => work(() => store().toolNames(server)),
  };
}

/**
 * Returns the approvals of the store that is current at each call. Unlike the others, they are read even if the
 * gateway continues without its records: an unreadable store approves nothing.
 */
export function currentPins(store: () => PinStore): PinStore {
  return {
    read: (...of) => store().read(...of),
    begin: () => store().begin(),
    firstUse: (...of) => store().firstUse(...of),
    saw: (...of) => store().saw(...of),
    decide: (...of) => store().decide(...of),
    texts: (...of) => store().texts(...of),
    servers: () => store().servers(),
  };
}

export function guardedRequests(work: StoreWork, store: RequestStore): RequestStore {
  return {
    keep: (of, requests) => work(() => store.keep(of, requests)),
    answered: (key) => work(() => store.answered(key)),
    find: (key) => work(() => store.find(key)),
    isRecorded: (requestId) => work(() => store.isRecorded(requestId)),
  };
}

export function guardedTasks(work: StoreWork, store: TaskStore): TaskStore {
  return {
    keep: (server, key, task) => work(() => store.keep(server, key, task)),
    find: (server, key) => work(() => store.find(server, key)),
  };
}
