import { useQueryClient } from "@tanstack/react-query";
import { type Context, createContext, useContext, useEffect, useRef } from "react";

/** How often somebody has entered a token, and wants all that is shown asked for with it. */
export const AskedAnew: Context<number> = createContext(0);

/** Calls back whenever a token was entered. */
export function useAskedAnew(again: () => void): void {
  const times = useContext(AskedAnew);
  const known = useRef(times);
  useEffect(() => {
    if (known.current === times) return;
    known.current = times;
    again();
  });
}

/** Asks again for all that `useLoaded` has loaded, whenever a token was entered. */
export function useQueriesAnew(): void {
  const queries = useQueryClient();
  useAskedAnew(() => void queries.invalidateQueries());
}
