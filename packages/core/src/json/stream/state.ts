/** What comes next. */
export type State =
  | "first key"
  | "key"
  | "colon"
  | "first item"
  | "value"
  | "behind"
  | "token"
  | "mark"
  | "failed";

/** What the grammar wants there, in words. */
export const WANTED: { readonly [state in State]?: string } = {
  "first key": "a key in double quotes",
  key: "a key in double quotes",
  colon: "a colon after the key",
  "first item": "a value",
  value: "a value",
};
