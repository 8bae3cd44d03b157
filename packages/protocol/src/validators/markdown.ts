/** A fenced block of code in Markdown. */
export interface CodeBlock {
  /** The first word behind the opening fence, in lower case. */
  readonly language: string;
  readonly text: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
}

/** The markers of the quotes and list items that a line opens or is in, and its fence. */
const OPENING = /^((?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])))*)[ \t]*(`{3,}|~{3,})(.*)$/;
const QUOTE = /^[ \t]*>/;

interface Open {
  readonly fence: string;
  readonly language: string;
  readonly line: number;
  /** In how many quotes it is, each of which marks every line of it. */
  readonly quotes: number;
  readonly lines: string[];
}

/**
 * Returns a line with spaces for the markers of that many quotes, so that its columns stay those of the file; nothing if it
 * does not be in them.
 */
function unquoted(line: string, quotes: number): string | undefined {
  let rest = line;
  for (let i = 0; i < quotes; i += 1) {
    const marker = QUOTE.exec(rest)?.[0];
    if (marker === undefined) return undefined;
    rest = rest.slice(marker.length);
  }
  return " ".repeat(line.length - rest.length) + rest;
}

function opened(line: string, number: number): Open | undefined {
  const [, markers = "", fence, info = ""] = OPENING.exec(line) ?? [];
  if (fence === undefined || (fence.startsWith("`") && info.includes("`"))) return undefined;
  const [language = ""] = info.trim().split(/[\s{,]/, 1);
  const quotes = markers.split(">").length - 1;
  return { fence, language: language.toLowerCase(), line: number, quotes, lines: [] };
}

function closes(line: string, fence: string): boolean {
  const text = line.trim();
  return text.length >= fence.length && text === (fence[0] as string).repeat(text.length);
}

/**
 * Returns the fenced blocks of a Markdown text, in order (CommonMark 0.31, section 4.5), in lists and quotes
 * too. A block that is never closed ends with its quote, or with the text.
 */
export function codeBlocks(text: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: Open | undefined;
  const close = ({ language, line, lines }: Open): void => {
    blocks.push({ language, line, text: lines.join("\n") });
    open = undefined;
  };
  for (const [i, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (open !== undefined) {
      const content = unquoted(line, open.quotes);
      if (content !== undefined) {
        if (closes(content, open.fence)) close(open);
        else open.lines.push(content);
        continue;
      }
      close(open);
    }
    open = opened(line, i + 1);
  }
  if (open !== undefined) close(open);
  return blocks;
}
