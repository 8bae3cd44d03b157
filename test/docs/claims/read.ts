/** By the first words of a claim: the tests that hold it, as `FILE > TITLE`. FILE is the end of a path. */
export type Claims = Readonly<Record<string, readonly string[]>>;

/** A statement of a page: a row of a table, an item of a list or a paragraph, on one line. */
export interface Claim {
  readonly text: string;
  /** Whether the page says that there is no defense, so that there is nothing to test. */
  readonly undefended: boolean;
  /** The test files that the last cell of its row names. */
  readonly named: readonly string[];
}

const HEAD = /^\|[^\n]*\n\|[ :|-]+\|$/m;
const UNDEFENDED = "**Not defended**";

/** Reads the claims of a page: each row, item and paragraph after its first heading of level 2, or first table. */
export function claimsOf(source: string): readonly Claim[] {
  const body = source.slice(source.search(/^(?:## |\|)/m)).replaceAll(/^#+ .*$/gm, "");
  let undefendedItems = false;
  return body.split(/\n{2,}/).flatMap((block) => {
    const text = block.trim();
    if (text === "") return [];
    if (text.startsWith("|")) return rowsOf(text);
    const items = text.split(/^- /m).filter((item) => item !== "");
    const isList = text.startsWith("- ");
    const claims = items.map((item) => {
      const line = item.trim().replaceAll(/\s+/g, " ");
      const undefended = line.startsWith(UNDEFENDED) || (isList && undefendedItems);
      return { text: line, undefended, named: [] };
    });
    undefendedItems = text === `${UNDEFENDED}:`;
    return undefendedItems ? [] : claims;
  });
}

function rowsOf(table: string): readonly Claim[] {
  const rows = table.replace(HEAD, "").trim().split("\n");
  return rows.map((row) => {
    const cells = row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim());
    const last = cells.at(-1) ?? "";
    const named = [...last.matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, file = ""]) => file);
    const undefended = cells.some((cell) => cell.includes("**not defended**"));
    return { text: cells[0] ?? "", undefended, named };
  });
}
