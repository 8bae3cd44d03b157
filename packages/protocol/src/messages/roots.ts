import { result } from "./base.ts";
import { ARRAY, type Definitions, extend, listOf, OBJECT, object, ref, STRING } from "./schema.ts";

const ROOT = object({ uri: STRING }, { name: STRING });

/** MCP, Client Features, Roots. */
export const ROOTS_2024_11_05: Definitions = {
  Root: ROOT,
  ListRootsResult: result({ roots: ARRAY }),
};

/** 2025-06-18: `_meta`. */
export const ROOTS_2025_06_18: Definitions = {
  ...ROOTS_2024_11_05,
  Root: extend(ROOT, { _meta: OBJECT }),
};

/** 2026-07-28: requested through a result (SEP-2322). */
export const ROOTS_2026_07_28: Definitions = {
  ...ROOTS_2025_06_18,
  ListRootsRequestParams: object({}, { _meta: OBJECT }),
  ListRootsResult: object({ roots: listOf(ref("Root")) }),
};
