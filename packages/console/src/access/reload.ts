import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { type Context, createContext, useContext, useEffect, useRef } from "react";

/** How often somebody has signed in, each time to reload everything shown. */
export const SignInCount: Context<number> = createContext(0);

/** Calls `reload` whenever somebody has signed in. */
export function useSignedIn(reload: () => void): void {
  const times = useContext(SignInCount);
  const known = useRef(times);
  useEffect(() => {
    if (known.current === times) return;
    known.current = times;
    reload();
  });
}

/** Reloads everything that `useLoaded` has loaded. What is on its way is requested again, too. */
export async function reloadAll(queries: QueryClient): Promise<void> {
  // What has not loaded yet would not be requested again.
  await queries.cancelQueries();
  await queries.invalidateQueries();
}

/** Reloads everything that `useLoaded` has loaded whenever somebody has signed in. */
export function useQueriesReload(): void {
  const queries = useQueryClient();
  useSignedIn(() => void reloadAll(queries));
}
