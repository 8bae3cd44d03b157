export interface Case {
  readonly schema: string;
  readonly structured: string;
  readonly content: string;
  readonly kind: string;
}
export const CASES: readonly Case[];
export function resultText(given: Case, modern: boolean, task: string): string;
