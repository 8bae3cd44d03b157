import fc from "fast-check";
import { encodeUtf8 } from "../json/text.ts";
import { changed, randomFrom } from "./changed-bytes.ts";
import { jsonNode, jsonNodeText } from "./json-text.ts";
import { disagreement, OPTIONS } from "./scan-agreement.ts";

/** A text on which the scans disagree. */
export interface ScanDisagreement {
  readonly kind: ScanCase;
  readonly what: string;
  readonly bytes: Uint8Array;
}

export type ScanCase = "random document" | "changed document" | "changed frame" | "cut frame";

export interface ScanFuzzResult {
  /** The number of texts of each kind, and the number on which the scans disagree. */
  readonly cases: Map<ScanCase, { texts: number; bad: number }>;
  /** The first texts on which the scans disagree. */
  readonly disagreements: ScanDisagreement[];
}

const CHUNK = 500;
const MAX_LISTED = 20;
/**
 * Compares the scans in JavaScript and in WebAssembly, `locateJson` and `JSON.parse`: on random documents, on random
 * documents with changed bytes, on changed frames, and on frames cut off at each of their bytes in turn.
 * @param frames real messages, none of them empty
 * @param progress receives the number of texts that are done
 */
export function fuzzScan(
  count: number,
  seed: number,
  frames: readonly Uint8Array[],
  progress: (done: number) => void,
): ScanFuzzResult {
  const result: ScanFuzzResult = { cases: new Map(), disagreements: [] };
  const random = randomFrom(seed);
  const documents = fc.tuple(jsonNode, fc.nat());
  const frameAt = frames.map(() => 0);
  let done = 0;
  const judge = (kind: ScanCase, bytes: Uint8Array): void => {
    if (done === count) return;
    done++;
    const tally = result.cases.get(kind) ?? { texts: 0, bad: 0 };
    result.cases.set(kind, tally);
    tally.texts++;
    // The options of the scans: everything that can be requested, and a part of it.
    const asked = [0, 1 + random(OPTIONS.length - 1)].flatMap((index) => OPTIONS[index] ?? []);
    const what = disagreement(bytes, asked);
    if (what === undefined) return;
    tally.bad++;
    if (result.disagreements.length < MAX_LISTED) result.disagreements.push({ kind, what, bytes });
  };
  for (let round = 0; done < count; round++) {
    for (const [node, spaces] of fc.sample(documents, { numRuns: CHUNK, seed: seed + round })) {
      const bytes = encodeUtf8(jsonNodeText(node, spaces));
      judge("random document", bytes);
      for (let turn = 0; turn < 3; turn++) judge("changed document", changed(bytes, random));
      const which = random(frames.length);
      const frame = frames[which];
      if (frame === undefined) continue;
      judge("changed frame", changed(frame, random));
      const end = (frameAt[which] ?? 0) % frame.length;
      frameAt[which] = end + 1;
      judge("cut frame", frame.subarray(0, end));
    }
    progress(done);
  }
  return result;
}
