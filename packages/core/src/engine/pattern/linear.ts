import type { AST } from "@eslint-community/regexpp";
import { RE2JS, RE2JSException } from "re2js";
import type { ParsedPattern } from "./parse.ts";
import {
  reverseCodePoints,
  splitSurrogatePairs,
  type Translation,
  translate,
} from "./translate.ts";

/** Matches in time linear in the length of the text. */
export interface LinearMatcher {
  /** Instructions of all its programs; multiplied by the text's length, they bound the work. */
  readonly size: number;
  /** Whether it handles only well-formed Unicode text. */
  readonly wellFormedOnly: boolean;
  test(text: string): boolean;
}

/** Maximum bytes of one program's automaton before it is rebuilt. */
const AUTOMATON_BYTES = 1 << 17;
/** Maximum length of a source that is translated. */
const MAX_TRANSLATED_LENGTH = 4096;
/** Maximum number of parts that a pattern is split into. */
const MAX_PARTS = 32;

/** Leading assertions that must hold at the start, and what must then match there. */
interface Branch {
  readonly guards: readonly { readonly negate: boolean; readonly program: Program }[];
  readonly rest: Program;
}

interface Program {
  readonly reversed: boolean;
  readonly engine: RE2JS;
}

/** The forms of the text that programs need, each made once. */
class Views {
  private readonly text: string;
  private turned: string | undefined;

  constructor(text: string) {
    this.text = text;
  }

  run({ reversed, engine }: Program): boolean {
    if (!reversed) return engine.test(this.text);
    this.turned ??= reverseCodePoints(this.text);
    return engine.test(this.turned);
  }
}

function compile({ text, lookbehinds, reversed }: Translation): Program {
  const engine = RE2JS.compile(text, lookbehinds ? RE2JS.LOOKBEHINDS : 0);
  const automaton = engine.re2().dfa;
  automaton.maxMem = AUTOMATON_BYTES;
  automaton.stateBudget = AUTOMATON_BYTES;
  automaton.memBudget = AUTOMATON_BYTES;
  return { reversed, engine };
}

function isLookahead(node: AST.Element | undefined): node is AST.LookaheadAssertion {
  return node?.type === "Assertion" && node.kind === "lookahead";
}

function isStart(node: AST.Element | undefined): node is AST.EdgeAssertion {
  return node?.type === "Assertion" && node.kind === "start";
}

/**
 * Splits `^(?!a)(?=b)c` into "not `^a`", "`^b`" and "`^c`", which match on the automaton. Assertions inside a program
 * would need the slower simulation.
 */
function branchesOf({ pattern, unicode }: ParsedPattern): readonly Branch[] | undefined {
  let parts = 0;
  const branches: Branch[] = [];
  const program = (alternatives: readonly AST.Alternative[]): Program | undefined => {
    const translation = ++parts > MAX_PARTS ? undefined : translate(alternatives, unicode);
    return translation === undefined ? undefined : compile(translation);
  };
  for (const alternative of pattern.alternatives) {
    const [start, ...elements] = alternative.elements;
    if (!isStart(start) || !isLookahead(elements[0])) return undefined;
    const guards: Branch["guards"][number][] = [];
    let next = elements.shift();
    for (; isLookahead(next); next = elements.shift()) {
      const bodies = next.alternatives.map((body) => ({
        ...body,
        elements: [start, ...body.elements],
      }));
      const guard = program(bodies);
      if (guard === undefined) return undefined;
      guards.push({ negate: next.negate, program: guard });
    }
    if (next !== undefined) elements.unshift(next);
    const rest = program([{ ...alternative, elements: [start, ...elements] }]);
    if (rest === undefined) return undefined;
    branches.push({ guards, rest });
  }
  return branches;
}

function programsOf(branches: readonly Branch[]): readonly Program[] {
  return branches.flatMap(({ guards, rest }) => [...guards.map(({ program }) => program), rest]);
}

/** Makes a linear matcher; undefined if there is no linear form of acceptable size. */
export function linearMatcher(parsed: ParsedPattern): LinearMatcher | undefined {
  const { pattern, unicode } = parsed;
  if (parsed.source.length > MAX_TRANSLATED_LENGTH) return undefined;
  try {
    let branches = branchesOf(parsed);
    if (branches === undefined) {
      const whole = translate(pattern.alternatives, unicode);
      if (whole === undefined) return undefined;
      branches = [{ guards: [], rest: compile(whole) }];
    }
    const programs = programsOf(branches);
    const all = branches;
    return {
      size: programs.reduce((sum, { engine }) => sum + engine.programSize(), 0),
      wellFormedOnly: unicode && programs.some(({ reversed }) => reversed),
      test(text) {
        const views = new Views(unicode ? text : splitSurrogatePairs(text));
        return all.some(
          ({ guards, rest }) =>
            guards.every(({ negate, program }) => views.run(program) !== negate) && views.run(rest),
        );
      },
    };
  } catch (error) {
    // The engine has its own limits on size and nesting.
    if (error instanceof RE2JSException || error instanceof RangeError) return undefined;
    throw error;
  }
}
