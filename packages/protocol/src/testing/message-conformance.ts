import { encodeUtf8 } from "@touchstone/core/advanced";
import { judgeMessage } from "../judge/judge-message.ts";
import { explainDifference } from "./differences.ts";
import { exampleMessage } from "./examples.ts";
import { type Fixture, fixturesOf } from "./fixtures.ts";
import { type Mutation, mutationsOf } from "./mutate.ts";
import { Official, officialExamples } from "./official.ts";

/** A mutated message that MCP's own schema and ours judge differently. */
export interface Difference {
  readonly version: string;
  readonly fixture: string;
  readonly path: string;
  readonly change: string;
  /** `missed`: the official schema refuses it and ours does not; `alarm`: the other way round. */
  readonly kind: "missed" | "alarm";
  /** The erratum that it comes from, or undefined if none explains it. */
  readonly erratum: string | undefined;
}

export interface Tally {
  readonly version: string;
  /** The number of good messages, and those that were refused. */
  good: number;
  refusedGood: string[];
  /**
   * Good messages that are refused by the official definition of the result itself, so that no mutations of them are
   * tried.
   */
  notMutated: string[];
  /** The number of mutations that the official schema refuses, and how many of these ours refuses. */
  refused: number;
  caught: number;
  /** The number of mutations that the official schema accepts, and how many of these ours accepts. */
  accepted: number;
  passed: number;
}

export interface MessageConformance {
  readonly tallies: readonly Tally[];
  readonly differences: readonly Difference[];
}

/**
 * Returns whether a message and all items of its list are valid: the official schema does not distinguish between the
 * two.
 */
export function passes(version: string, message: unknown, fixture: Fixture): boolean {
  const { requestMethod, sender } = fixture;
  const check = judgeMessage(encodeUtf8(JSON.stringify(message)), {
    revision: version,
    sender,
    ...(requestMethod === undefined ? {} : { requestMethod }),
  });
  return check.valid && check.items.length === 0 && check.warnings.length === 0;
}

/** The good messages of a revision: official examples if there are some, and our own. */
function goodMessages(folder: string, version: string): readonly Fixture[] {
  const examples = officialExamples(folder, version).map(([name, example]) => {
    const placed = exampleMessage(name, example);
    if (placed === undefined) throw new Error(`nowhere to put an example of ${name}`);
    return placed;
  });
  return [...examples, ...fixturesOf(version)];
}

/**
 * Compares the verdicts on single-point mutations of good messages.
 * @param chosen returns whether to try a mutation
 */
export function compareMessages(
  folder: string,
  versions: readonly string[],
  chosen: () => boolean,
): MessageConformance {
  const differences: Difference[] = [];
  const tallies = versions.map((version): Tally => {
    const official = new Official(folder, version);
    const tally: Tally = {
      version,
      good: 0,
      refusedGood: [],
      notMutated: [],
      refused: 0,
      caught: 0,
      accepted: 0,
      passed: 0,
    };
    for (const fixture of goodMessages(folder, version)) {
      tally.good++;
      if (!passes(version, fixture.message, fixture)) tally.refusedGood.push(fixture.name);
      if (!official.accepts(fixture.message, fixture)) {
        tally.notMutated.push(fixture.name);
        continue;
      }
      for (const mutation of mutationsOf(fixture.message)) {
        if (!chosen()) continue;
        const kind = compare(tally, official, fixture, mutation);
        if (kind === undefined) continue;
        const { path, change } = mutation;
        const difference = { version, fixture: fixture.name, path, change, kind };
        const erratum = explainDifference(difference);
        differences.push({ ...difference, erratum });
      }
    }
    return tally;
  });
  return { tallies, differences };
}

function compare(
  tally: Tally,
  official: Official,
  fixture: Fixture,
  { make }: Mutation,
): Difference["kind"] | undefined {
  const value = make();
  const ours = passes(tally.version, value, fixture);
  if (official.accepts(value, fixture)) {
    tally.accepted++;
    if (!ours) return "alarm";
    tally.passed++;
  } else {
    tally.refused++;
    if (ours) return "missed";
    tally.caught++;
  }
  return undefined;
}
