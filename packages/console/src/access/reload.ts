import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { type Context, createContext, useContext, useEffect, useRef } from "react";

/** Number of sign-ins so far; each one reloads everything that the page shows. */
export const SignInCount: Context<number> = createContext(0);

/** Calls `reload` after each sign-in. */
export function useSignedIn(reload: () => void): void {
  const times = useContext(SignInCount);
  const known = useRef(times);
  useEffect(() => {
    if (known.current === times) return;
    known.current = times;
    reload();
  });
}

/** Reloads everything that `useLoaded` has loaded. Requests that are still running are sent again, too. */
export async function reloadAll(queries: QueryClient): Promise<void> {
  // Without this, data that is still loading would not be requested again.
  await queries.cancelQueries();
  await queries.invalidateQueries();
}

/** Reloads everything that `useLoaded` has loaded after each sign-in. */
export function useQueriesReload(): void {
  const queries = useQueryClient();
  useSignedIn(() => void reloadAll(queries));
}
