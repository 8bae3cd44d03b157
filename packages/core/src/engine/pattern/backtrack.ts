import { type AST, visitRegExpAST } from "@eslint-community/regexpp";
import { type Budget, BudgetError, spendSteps } from "../../keywords/run.ts";
import { type CodeSet, hasCode } from "./code-set.ts";
import { type ParsedPattern, setOf } from "./parse.ts";

/** Steps through a text by character: code points, or code units without Unicode mode. */
export class Cursor {
  text = "";
  private readonly unicode: boolean;

  constructor(unicode: boolean) {
    this.unicode = unicode;
  }

  /** Returns where the character that starts at `at` ends. */
  after(at: number): number {
    const pair = this.unicode && (this.text.codePointAt(at) ?? 0) > 0xffff;
    return at + (pair ? 2 : 1);
  }

  /** Returns where the character that ends at `at` starts; -1 at the start of the text. */
  before(at: number): number {
    const pair = this.unicode && at > 1 && (this.text.codePointAt(at - 2) ?? 0) > 0xffff;
    return at - (pair ? 2 : 1);
  }

  /** Returns the character that starts at `at`. */
  read(at: number): number | undefined {
    return this.unicode ? this.text.codePointAt(at) : this.text.charCodeAt(at);
  }

  /** Returns whether `at` is a word boundary (ECMA-262, section 22.2.2.4). */
  isWordEdge(at: number): boolean {
    return /\w/.test(this.text.charAt(at - 1)) !== /\w/.test(this.text.charAt(at));
  }
}

/** Continues the match at a place of the text. */
type Next = (at: number) => boolean;
/** Matches one part of the pattern from a place on, and passes each possible end to `next`. */
type Part = (at: number, next: Next) => boolean;

/** Budget steps for one elementary step of matching, which goes through several closures. */
const STEPS_PER_WORK = 5;

/** A repeat of a single character. */
interface Run {
  readonly min: number;
  readonly max: number;
  readonly greedy: boolean;
  readonly backward: boolean;
}

const OPEN = -1;

/**
 * Matches by backtracking, as ECMA-262, section 22.2.2, specifies, and counts every step. Used for patterns without a
 * linear form.
 */
export class BacktrackingMatcher {
  private readonly unicode: boolean;
  /** Numbers of the capturing groups, counted from 0 by their opening parentheses. */
  private readonly groups = new Map<AST.CapturingGroup, number>();
  private readonly root: Part;
  private readonly cursor: Cursor;
  /** Start and end of each group; {@link OPEN} if it has not taken part. */
  private captures: number[] = [];
  private budget: Budget = { steps: 0 };

  constructor({ pattern, unicode }: ParsedPattern) {
    this.unicode = unicode;
    this.cursor = new Cursor(unicode);
    visitRegExpAST(pattern, {
      onCapturingGroupEnter: (group) => this.groups.set(group, this.groups.size),
    });
    this.root = this.alternatives(pattern.alternatives, false);
  }

  /** @throws BudgetError if the budget or the stack is exhausted. */
  test(text: string, budget: Budget): boolean {
    this.cursor.text = text;
    this.budget = budget;
    try {
      for (let at = 0; at <= text.length; at = this.cursor.after(at)) {
        this.tick(this.groups.size);
        this.captures = new Array(2 * this.groups.size).fill(OPEN);
        if (this.root(at, () => true)) return true;
      }
      return false;
    } catch (error) {
      if (error instanceof RangeError) throw new BudgetError("the pattern exhausts the stack");
      throw error;
    } finally {
      this.cursor.text = "";
      this.captures = [];
    }
  }

  private tick(work = 1): void {
    spendSteps(this.budget, STEPS_PER_WORK * work);
  }

  /** Returns the place after one character of the set; undefined if there is no such character. */
  private consume(set: CodeSet, at: number, backward: boolean): number | undefined {
    this.tick();
    const end = backward ? this.cursor.before(at) : this.cursor.after(at);
    if (end < 0 || end > this.cursor.text.length) return undefined;
    const low = Math.min(at, end);
    const point = this.cursor.read(low);
    return point !== undefined && hasCode(set, point) ? end : undefined;
  }

  private alternatives(list: readonly AST.Alternative[], backward: boolean): Part {
    const parts = list.map(({ elements }) => {
      const inOrder = elements.map((element) => this.element(element, backward));
      return this.sequence(backward ? inOrder.reverse() : inOrder);
    });
    const [only] = parts;
    if (parts.length === 1 && only !== undefined) return only;
    return (at, next) => parts.some((part) => part(at, next));
  }

  private sequence(parts: readonly Part[]): Part {
    return parts.reduceRight<Part>(
      (rest, part) => (at, next) => part(at, (end) => rest(end, next)),
      (at, next) => next(at),
    );
  }

  private element(node: AST.Element, backward: boolean): Part {
    const set = setOf(node, this.unicode);
    if (set !== undefined) {
      return (at, next) => {
        const end = this.consume(set, at, backward);
        return end !== undefined && next(end);
      };
    }
    switch (node.type) {
      case "Group":
        return this.alternatives(node.alternatives, backward);
      case "CapturingGroup":
        return this.capturing(node, backward);
      case "Quantifier":
        return this.quantifier(node, backward);
      case "Assertion":
        return this.assertion(node);
      case "Backreference":
        return this.backreference(node, backward);
      default:
        throw new SyntaxError(`unsupported in a pattern: ${node.type}`);
    }
  }

  private capturing(node: AST.CapturingGroup, backward: boolean): Part {
    const index = 2 * this.numberOf(node);
    const body = this.alternatives(node.alternatives, backward);
    return (at, next) =>
      body(at, (end) => {
        const [from = OPEN, to = OPEN] = this.captures.slice(index, index + 2);
        this.captures.splice(index, 2, Math.min(at, end), Math.max(at, end));
        if (next(end)) return true;
        this.captures.splice(index, 2, from, to);
        return false;
      });
  }

  /** Returns the range of the captures of the groups inside the node: from, to. */
  private capturesIn(node: AST.Node): readonly [number, number] {
    let from = this.groups.size;
    let to = 0;
    visitRegExpAST(node, {
      onCapturingGroupEnter: (group) => {
        from = Math.min(from, this.numberOf(group));
        to = Math.max(to, this.numberOf(group) + 1);
      },
    });
    return to === 0 ? [0, 0] : [2 * from, 2 * to];
  }

  private numberOf(group: AST.CapturingGroup): number {
    return this.groups.get(group) ?? 0;
  }

  /** Repeats a single character without using stack space for each repeat. */
  private run(set: CodeSet, { min, max, greedy, backward }: Run): Part {
    return (start, next) => {
      let at: number | undefined = start;
      let count = 0;
      const most = greedy ? max : min;
      while (at !== undefined && count < most) {
        const end: number | undefined = this.consume(set, at, backward);
        if (end === undefined) break;
        at = end;
        count++;
      }
      if (count < min) return false;
      while (at !== undefined) {
        if (next(at)) return true;
        if (greedy ? --count < min : ++count > max) return false;
        this.tick();
        if (!greedy) at = this.consume(set, at, backward);
        else at = backward ? this.cursor.after(at) : this.cursor.before(at);
      }
      return false;
    };
  }

  private quantifier({ element, min, max, greedy }: AST.Quantifier, backward: boolean): Part {
    const set = setOf(element, this.unicode);
    if (set !== undefined) return this.run(set, { min, max, greedy, backward });
    const body = this.element(element, backward);
    const inside = this.capturesIn(element);
    const round = (at: number, count: number, next: Next): boolean => {
      this.tick();
      const again = (): boolean => {
        if (count >= max) return false;
        this.tick(inside[1] - inside[0]);
        const saved = this.captures.slice(...inside);
        this.captures.fill(OPEN, ...inside);
        const done = body(at, (end) => {
          // Once the minimum is reached, a round that consumes nothing would repeat forever.
          if (end === at && count >= min) return false;
          return round(end, count + 1, next);
        });
        if (!done) this.captures.splice(inside[0], saved.length, ...saved);
        return done;
      };
      if (count < min) return again();
      return greedy ? again() || next(at) : next(at) || again();
    };
    return (at, next) => round(at, 0, next);
  }

  private assertion(node: AST.Assertion): Part {
    switch (node.kind) {
      case "start":
        return (at, next) => at === 0 && next(at);
      case "end":
        return (at, next) => at === this.cursor.text.length && next(at);
      case "word":
        return (at, next) => this.cursor.isWordEdge(at) !== node.negate && next(at);
      default: {
        const body = this.alternatives(node.alternatives, node.kind === "lookbehind");
        return (at, next) => {
          const saved = [...this.captures];
          this.tick(1 + saved.length);
          const found = body(at, () => true);
          if (node.negate) this.captures = saved;
          if (found !== node.negate && next(at)) return true;
          this.captures = saved;
          return false;
        };
      }
    }
  }

  private backreference({ resolved }: AST.Backreference, backward: boolean): Part {
    const indexes = [resolved].flat().map((group) => 2 * this.numberOf(group));
    return (at, next) => {
      const index = indexes.find((i) => this.captures[i] !== OPEN);
      const from = index === undefined ? at : (this.captures[index] ?? at);
      const to = index === undefined ? at : (this.captures[index + 1] ?? at);
      const end = backward ? at - (to - from) : at + (to - from);
      if (end < 0 || end > this.cursor.text.length) return false;
      for (let i = 0; i < to - from; i++) {
        this.tick();
        if (
          this.cursor.text.charCodeAt(from + i) !==
          this.cursor.text.charCodeAt(Math.min(at, end) + i)
        ) {
          return false;
        }
      }
      return next(end);
    };
  }
}
