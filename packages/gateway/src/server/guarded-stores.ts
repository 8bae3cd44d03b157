import { ActivityError } from "@touchstone/records/errors";
import type {
  ContractStore,
  PinStore,
  ProblemIgnores,
  RequestStore,
  SessionStore,
  TaskStore,
  ViewStore,
} from "@touchstone/records/plain";
import { valueOrTimeout } from "@touchstone/util";

/** Does work in a store that may fail, and waits for it no longer than the caller may wait. */
export type RunStoreWork = <T>(work: () => Promise<T>) => Promise<T>;

/** Returns the contracts of the store that is current at each call. */
export function guardContractStore(work: RunStoreWork, store: () => ContractStore): ContractStore {
  return {
    replace: (scope, listed, again) => work(() => store().replace(scope, listed, again)),
    used: (scope) => work(() => store().used(scope)),
    tool: (scope, name) => work(() => store().tool(scope, name)),
    toolNames: (server) => work(() => store().toolNames(server)),
  };
}

/**
 * Returns the approvals of the store that is current at each call. Unlike the others, they are read even if the
 * gateway continues without its records: a store that cannot be read approves nothing.
 */
export function currentPinStore(store: () => PinStore): PinStore {
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

/** Returns the ignored problems of the store that is current at each call. */
export function currentIgnoreStore(store: () => ProblemIgnores): ProblemIgnores {
  return {
    add: (ignore) => store().add(ignore),
    end: (...of) => store().end(...of),
  };
}

/** How long a request waits for the store of sessions, in milliseconds. */
const SESSIONS_MS = 10_000;

/**
 * Returns the sessions of the store that is current at each call. They are read even if the gateway continues without
 * its records: a store that does not respond signs nobody in. Rejects with `STORE_UNREACHABLE` then.
 */
export function currentSessionStore(store: () => SessionStore): SessionStore {
  const soon = within(
    `The store of sessions did not respond within ${SESSIONS_MS / 1_000} s. A sign-in or sign-out may still take effect: look again later.`,
  );
  return {
    add: (...of) => soon(() => store().add(...of)),
    find: (token) => soon(() => store().find(token)),
    use: (...of) => soon(() => store().use(...of)),
    all: () => soon(() => store().all()),
    end: (id) => soon(() => store().end(id)),
  };
}

/** Returns work that rejects with `STORE_UNREACHABLE` if it takes too long. */
function within(message: string): RunStoreWork {
  return (work) =>
    valueOrTimeout(SESSIONS_MS, work(), () => {
      throw new ActivityError("STORE_UNREACHABLE", message);
    });
}

/** Returns the saved views of the store that is current at each call. Rejects like {@link currentSessionStore}. */
export function currentViewStore(store: () => ViewStore): ViewStore {
  const soon = within(
    `The store of saved views did not respond within ${SESSIONS_MS / 1_000} s. A change may still take effect: look again later.`,
  );
  return {
    all: () => soon(() => store().all()),
    save: (...of) => soon(() => store().save(...of)),
    remove: (id) => soon(() => store().remove(id)),
  };
}

export function guardRequestStore(work: RunStoreWork, store: RequestStore): RequestStore {
  return {
    keep: (of, requests) => work(() => store.keep(of, requests)),
    answered: (key) => work(() => store.answered(key)),
    find: (key) => work(() => store.find(key)),
    isRecorded: (requestId) => work(() => store.isRecorded(requestId)),
  };
}

export function guardTaskStore(work: RunStoreWork, store: TaskStore): TaskStore {
  return {
    keep: (server, key, task) => work(() => store.keep(server, key, task)),
    find: (server, key) => work(() => store.find(server, key)),
  };
}
