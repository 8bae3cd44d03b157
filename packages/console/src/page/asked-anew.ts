import { useQueryClient } from "@tanstack/react-query";
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

/** Reloads everything that `useLoaded` has loaded whenever a token is entered. */
export function useQueriesAnew(): void {
  const queries = useQueryClient();
  // What has not loaded yet would not be requested again, and may be refused without the token.
  useAskedAnew(() => void queries.cancelQueries().then(() => queries.invalidateQueries()));
}
