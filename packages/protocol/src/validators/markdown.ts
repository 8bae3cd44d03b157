/** A fenced code block in Markdown. */
export interface CodeBlock {
  /** The first word after the opening fence, in lower case. */
  readonly language: string;
  readonly text: string;
  /** The line of the opening fence, counted from 1. */
  readonly line: number;
}

/** Matches the markers of the quotes and list items around a fence, and the fence. */
const OPENING = /^((?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])))*)[ \t]*(`{3,}|~{3,})(.*)$/;
const QUOTE = /^[ \t]*>/;

interface Open {
  readonly fence: string;
  readonly language: string;
  readonly line: number;
  /** How many quotes it is in. Each of them marks every line of the block. */
  readonly quotes: number;
  readonly lines: string[];
}

/**
 * Returns a line with spaces in place of that many quote markers, so that its columns match the file; undefined if
 * the line is not in that many quotes.
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
 * Returns the fenced code blocks of a Markdown text, in order (CommonMark 0.31, section 4.5), including those in
 * lists and quotes. A block that is never closed ends with its quote, or with the text.
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
