import { plainQuery, type ReadDatabase, type RunQuery } from "../database.ts";
import type { KeptCheck } from "../kept-part.ts";
import { HAS_BODY } from "./fill.ts";
import { SEARCH_INDEX } from "./tables.ts";

/** Compares the calls in the search index with the records. The indexed texts are not compared. */
export async function checkSearch(db: ReadDatabase, run: RunQuery): Promise<KeptCheck> {
  if (db.dialect !== "sqlite") return { faults: [] };
  const count = async (text: string): Promise<number> => {
    const [row] = await run<{ readonly n: number }>(
      plainQuery(`SELECT count(*) AS n FROM ${text}`),
    );
    return row?.n ?? 0;
  };
  const faults: string[] = [];
  const extra = await count(
    `searched WHERE NOT EXISTS (SELECT 1 FROM activity WHERE id = record AND ${HAS_BODY})`,
  );
  if (extra > 0) {
    faults.push(`the search index has ${calls(extra)} whose arguments and result are not kept`);
  }
  const missing = await count(
    `activity JOIN search_chains s ON s.chain = activity.chain AND activity.seq < s.records
      WHERE ${HAS_BODY} AND NOT EXISTS (SELECT 1 FROM searched WHERE record = id)`,
  );
  if (missing > 0) faults.push(`the search index lacks ${calls(missing)}, which a search may miss`);
  const again = await count(
    `searched JOIN activity ON id = record LEFT JOIN search_chains s ON s.chain = activity.chain
      WHERE activity.seq >= coalesce(s.records, 0)`,
  );
  const ahead = await count(
    `search_chains s LEFT JOIN chains c ON c.chain = s.chain WHERE s.records > coalesce(c.records, 0)`,
  );
  if (again > 0 || ahead > 0) {
    faults.push("the search index has other calls than its table of chains says");
  }
  const texts = await count(`${SEARCH_INDEX}_docsize`);
  const numbers = await count(
    `searched WHERE EXISTS (SELECT 1 FROM ${SEARCH_INDEX}_docsize d WHERE d.id = n)`,
  );
  const listed = await count("searched");
  if (texts !== numbers || numbers !== listed) {
    faults.push(`the search index has ${calls(texts)}, and its list has ${calls(listed)}`);
  }
  return { faults };
}

function calls(count: number): string {
  return `${count} call${count === 1 ? "" : "s"}`;
}
