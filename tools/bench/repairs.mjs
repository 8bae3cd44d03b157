import {
  compileDeclared,
  encodeUtf8,
  REPAIR_KINDS,
  repairText,
  repairValue,
} from "@touchstone/core/advanced";
import { median, table } from "./timing.mjs";

/** Invalid arguments by kind of repair: each has a single fault. */
const WRONG = {
  "parse-json-strings": (args) => ({ ...args, items: JSON.stringify(args.items) }),
  "coerce-scalars": (args) => ({ ...args, count: String(args.count) }),
  "drop-nulls": (args) => ({ ...args, note: null }),
  "fill-defaults": ({ state: _, ...args }) => args,
  "rename-properties": ({ title, ...args }) => ({ titel: title, ...args }),
  "match-enum-case": (args) => ({ ...args, state: args.state.toUpperCase() }),
};

const ROUNDS = 25;
const CALLS = 500;

/** Returns the median microseconds of processor time of each way, in turns. */
function measured(ways) {
  const times = ways.map(() => []);
  for (let round = 0; round < ROUNDS + 5; round += 1) {
    for (let i = 0; i < ways.length; i += 1) {
      const at = (i + round) % ways.length;
      const before = process.cpuUsage();
      for (let call = 0; call < CALLS; call += 1) ways[at]();
      const { user, system } = process.cpuUsage(before);
      // The first rounds warm up.
      if (round >= 5) times[at].push((user + system) / CALLS);
    }
  }
  return times.map(median);
}

/**
 * Prints what a repair costs in processor time: the check of valid arguments, the check that finds the fault, and the
 * repair with its own checks; of a text, as in the gateway, and of a value, as in the runner.
 */
export function repairs(schema, args) {
  const { state, ...properties } = schema.properties;
  const declared = {
    ...schema,
    properties: { ...properties, state: { ...state, default: "open" }, note: { type: "string" } },
  };
  const compiled = compileDeclared({ value: declared });
  const given = { schema: compiled, declared, repair: REPAIR_KINDS };
  const right = encodeUtf8(JSON.stringify(args));
  console.log(`A repair of ${right.length} bytes, microseconds of processor time, in turns`);
  const rows = Object.entries(WRONG).map(([kind, spoil]) => {
    const value = spoil(args);
    const bytes = encodeUtf8(JSON.stringify(value));
    const [found, foundInValue] = [compiled.validateText(bytes), compiled.validate(value)];
    const ways = [
      () => compiled.validateText(right),
      () => compiled.validateText(bytes),
      () => done(repairText({ ...given, bytes, check: found })),
      () => compiled.validate(args),
      () => compiled.validate(value),
      () => done(repairValue({ ...given, value, check: foundInValue })),
    ];
    return [kind, ...measured(ways).map((us) => us.toFixed(1))];
  });
  const columns = ["valid", "invalid", "repair"];
  const head = ["text", "value"].flatMap((form) => columns.map((what) => `${form}: ${what}`));
  table(["kind", ...head], rows);
}

function done(repaired) {
  if (repaired === undefined) throw new Error("nothing was repaired");
}
