import { NotProven } from "./finite.ts";

/** Elementary operations that the analysis of one pattern may still take. */
export interface Effort {
  left: number;
}

/** @throws NotProven where no more may be taken */
export function spendEffort(effort: Effort, operations: number): void {
  effort.left -= operations;
  if (effort.left < 0) throw new NotProven();
}
