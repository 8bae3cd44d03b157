import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { type Context, createContext, useContext, useEffect, useRef } from "react";

/** How often the user has entered a token, each time to reload everything shown. */
export const AskedAnew: Context<number> = createContext(0);

/** Calls `again` whenever a token is entered. */
export function useAskedAnew(again: () => void): void {
  const times = useContext(AskedAnew);
  const known = useRef(times);
  useEffect(() => {
    if (known.current === times) return;
    known.current = times;
    again();
  });
}

/** Reloads everything that `useLoaded` has loaded. What is on its way is requested again, too. */
export async function reloadAll(queries: QueryClient): Promise<void> {
  // What has not loaded yet would not be requested again.
  await queries.cancelQueries();
  await queries.invalidateQueries();
}

/** Reloads everything that `useLoaded` has loaded whenever a token is entered. */
export function useQueriesAnew(): void {
  const queries = useQueryClient();
  useAskedAnew(() => void reloadAll(queries));
}
