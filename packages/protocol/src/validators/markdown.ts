/** A fenced block of code in Markdown. */
export interface CodeBlock {
  /** The first word behind the opening fence, in lower case. */
  readonly language: string;
  readonly text: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
}

const FENCE = /^ {0,3}(?:[-*+>] {0,3}|\d{1,3}[.)] {0,3})?(`{3,}|~{3,})(.*)$/;

interface Open {
  readonly fence: string;
  readonly language: string;
  readonly line: number;
  readonly lines: string[];
}

function closes(line: string, fence: string): boolean {
  const text = line.replace(/^[ >]*/, "").trimEnd();
  return text.length >= fence.length && text === (fence[0] as string).repeat(text.length);
}

/**
 * The fenced blocks of a Markdown text, in order (CommonMark 0.31, section 4.5), in lists and quotes
 * too. A block that is never closed ends with the text.
 */
export function codeBlocks(text: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: Open | undefined;
  const close = ({ language, line, lines }: Open): void => {
    blocks.push({ language, line, text: lines.join("\n") });
  };
  for (const [i, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (open !== undefined) {
      if (closes(line, open.fence)) {
        close(open);
        open = undefined;
      } else open.lines.push(line);
      continue;
    }
    const [, fence, info = ""] = FENCE.exec(line.replace(/^\s+/, "")) ?? [];
    if (fence === undefined || (fence.startsWith("`") && info.includes("`"))) continue;
    const language =
      info
        .trim()
        .split(/[\s{,]/, 1)[0]
        ?.toLowerCase() ?? "";
    open = { fence, language, line: i + 1, lines: [] };
  }
  if (open !== undefined) close(open);
  return blocks;
}
