/** One line of a scrape. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricFamily {
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|\})/y;
const SUFFIXES = /_(bucket|sum|count)$/;

/**
 * Reads the text format of Prometheus, version 0.0.4, as strictly as its documentation describes it: each family has
 * HELP and TYPE once and before its samples, no series occurs twice, and a histogram's buckets grow up to `+Inf`,
 * which equals its count.
 * @throws Error that names the line
 */
export function parseMetrics(text: string): ReadonlyMap<string, MetricFamily> {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const families = new Map<string, { type: string; help: string; samples: Sample[] }>();
  const series = new Set<string>();
  for (const line of text.slice(0, -1).split("\n")) {
    const [, keyword, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (keyword === "HELP") {
      if (families.has(name)) throw new Error(`a second HELP: ${line}`);
      families.set(name, { type: "", help: rest, samples: [] });
    } else if (keyword === "TYPE") {
      const family = families.get(name);
      if (family === undefined || family.type !== "" || family.samples.length > 0)
        throw new Error(`TYPE out of place: ${line}`);
      if (!/^(counter|gauge|histogram)$/.test(rest)) throw new Error(`unknown type: ${line}`);
      family.type = rest;
    } else if (line !== "") {
      const sample = parseSample(line);
      const key = line.slice(0, line.lastIndexOf(" "));
      if (series.has(key)) throw new Error(`stands twice: ${line}`);
      series.add(key);
      const family = families.get(sample.name) ?? families.get(sample.name.replace(SUFFIXES, ""));
      if (family === undefined) throw new Error(`of no family: ${line}`);
      family.samples.push(sample);
    }
  }
  for (const [name, family] of families)
    if (family.type === "histogram") checkBuckets(name, family);
  return families;
}

function parseSample(line: string): Sample {
  const name = NAME.exec(line)?.[0];
  if (name === undefined) throw new Error(`no name: ${line}`);
  const labels: Record<string, string> = {};
  let at = name.length;
  if (line[at] === "{") {
    at += 1;
    for (let more = true; more; ) {
      LABEL.lastIndex = at;
      const found = LABEL.exec(line);
      if (found === null) throw new Error(`labels are broken: ${line}`);
      const [all, key = "", value = "", end] = found;
      if (Object.hasOwn(labels, key)) throw new Error(`a label stands twice: ${line}`);
      labels[key] = value.replace(/\\(.)/g, (_, c: string) => (c === "n" ? "\n" : c));
      at += all.length;
      more = end === ",";
    }
  }
  const value = /^ (\S+)$/.exec(line.slice(at))?.[1] ?? "";
  const number = value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value);
  if (value === "" || Number.isNaN(number)) throw new Error(`no number: ${line}`);
  return { name, labels, value: number };
}

function checkBuckets(name: string, { samples }: MetricFamily): void {
  const last = new Map<string, { le: number; value: number }>();
  const keyOf = ({ le: _le, ...labels }: Sample["labels"]): string =>
    JSON.stringify(Object.entries(labels).sort());
  for (const sample of samples) {
    const key = keyOf(sample.labels);
    const before = last.get(key);
    if (sample.name === `${name}_bucket`) {
      const le = Number((sample.labels["le"] ?? "").replace("+Inf", "Infinity"));
      const grows = before === undefined || (le > before.le && sample.value >= before.value);
      if (!grows) throw new Error(`buckets do not grow: ${name} ${key}`);
      last.set(key, { le, value: sample.value });
    } else if (sample.name === `${name}_count`) {
      const whole = before?.le === Number.POSITIVE_INFINITY && before.value === sample.value;
      if (!whole) throw new Error(`+Inf is not the count: ${name} ${key}`);
    }
  }
}
