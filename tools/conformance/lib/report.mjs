const COLUMNS = [
  ["direction", 10],
  ["revision", 11],
  ["way", 27],
  ["mode", 7],
  ["direct", 16],
  ["through", 16],
];

const line = (values) =>
  values
    .map((value, i) => String(value).padEnd(COLUMNS[i][1]))
    .join("")
    .trimEnd();
const shown = ({ passed, failed }) => `${passed} ok, ${failed} bad`;

/** Prints one row for each run as it ends, and counts the scenarios that are worse through the gateway. */
export class Report {
  #print;
  #worse = 0;

  constructor(print) {
    this.#print = print;
    print(line(COLUMNS.map(([name]) => name)));
  }

  get worse() {
    return this.#worse;
  }

  /** Prints what the suite finds in `touchstone mcp`. */
  own(revision, scenario, checks) {
    const failed = checks.filter(({ status }) => status === "FAILURE");
    const isNone = checks.length === 0;
    this.#print(`mcp       ${revision} ${scenario}: ${checks.length} checks, ${failed.length} bad`);
    if (isNone || failed.length > 0) this.#worse += 1;
    for (const { key, message } of failed) this.#print(`    ${key}: ${message}`);
  }

  row({ direction, revision, way, mode, direct, through, differing }) {
    this.#print(line([direction, revision, way, mode, shown(direct), shown(through)]));
    for (const { scenario, lost } of differing) {
      this.#worse += 1;
      this.#print(`  worse through the gateway: ${scenario}`);
      for (const text of lost) this.#print(`    ${text}`);
    }
  }
}
