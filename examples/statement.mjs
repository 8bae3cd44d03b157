// node examples/statement.mjs CHECKPOINT: the bytes that a checkpoint's signature is over, which is its
// statement in canonical JSON (RFC 8785), for programs that check signatures.
import { readFileSync } from "node:fs";

/** Members by name. What a statement holds (ASCII texts, whole numbers) needs no more of RFC 8785. */
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sorted(value[key])]),
  );
}

const [file] = process.argv.slice(2);
const { statement } = JSON.parse(readFileSync(file, "utf8"));
process.stdout.write(JSON.stringify(sorted(statement)));
