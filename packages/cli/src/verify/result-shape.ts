import { isObject, joinPointer } from "@touchstone/core/advanced";
import {
  addToShape,
  type DriftFinding,
  emptyShape,
  type Shape,
  shapeBudgetFor,
  shapeDifferences,
} from "@touchstone/gateway/recordings";
import { REDACTED } from "@touchstone/util";
import { jsonIn } from "./outcome.ts";

/** Where a result has values, each with a shape of its own: shapes are kept for a few levels. */
const PLACES = ["", "/structuredContent", "/content/*/text"] as const;
type Place = (typeof PLACES)[number];

/** Deeper values have no shape. */
const MAX_LEVELS = 10;
/** How many places of removed secrets are kept. */
const MAX_REDACTED = 1_000;

/** The shape of a tool's results: of structured content, of the JSON in texts, and of what is around them. */
export class ResultShape {
  readonly #shapes: ReadonlyMap<Place, Shape> = new Map(
    PLACES.map((place) => [place, emptyShape()]),
  );
  /** Places from which a secret was removed: what was there is not known. */
  readonly #redacted: Set<string> = new Set();

  /** Adds a result. */
  add(result: unknown): void {
    if (!isObject(result)) return;
    const { content, structuredContent } = result;
    const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
    const outside: unknown[] = [];
    for (const block of blocks) {
      const json = isObject(block) ? jsonIn(block["text"]) : undefined;
      if (json !== undefined) this.#add("/content/*/text", json);
      outside.push(
        isObject(block) && json !== undefined ? { ...block, text: emptied(json) } : block,
      );
    }
    if (structuredContent !== undefined) this.#add("/structuredContent", structuredContent);
    this.#add("", {
      ...(content === undefined ? {} : { content: Array.isArray(content) ? outside : content }),
      ...(structuredContent === undefined ? {} : { structuredContent: emptied(structuredContent) }),
    });
  }

  /** Returns how later results differ from these, with pointers into the result. */
  differences(now: ResultShape): readonly DriftFinding[] {
    return PLACES.flatMap((place) => {
      const [before, after] = [this.#shapes.get(place), now.#shapes.get(place)];
      if (before === undefined || after === undefined) return [];
      return shapeDifferences(before, after)
        .map((finding) => ({ ...finding, path: `${place}${finding.path}` }))
        .filter(({ path }) => !this.#isRedacted(path));
    });
  }

  #add(place: Place, value: unknown): void {
    const shape = this.#shapes.get(place);
    if (shape === undefined) return;
    const { left } = shapeBudgetFor(shape);
    addToShape(shape, value, { left, items: Number.POSITIVE_INFINITY });
    this.#findRedacted(value, place);
  }

  #findRedacted(value: unknown, path: string, level = 0): void {
    if (level > MAX_LEVELS) return;
    if (value === REDACTED && this.#redacted.size < MAX_REDACTED) this.#redacted.add(path);
    if (Array.isArray(value)) {
      for (const item of value) this.#findRedacted(item, `${path}/*`, level + 1);
    } else if (isObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        this.#findRedacted(member, joinPointer(path, name), level + 1);
      }
    }
  }

  #isRedacted(path: string): boolean {
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
      if (this.#redacted.has(path.slice(0, end))) return true;
    }
    return false;
  }
}

function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return isObject(value) ? {} : value;
}
