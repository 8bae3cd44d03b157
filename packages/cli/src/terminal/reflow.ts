/**
 * Returns our own text, in which each character takes one cell, with its paragraphs rewrapped to a width in terminal
 * cells. A paragraph consists of lines that begin with a word; indented lines, such as examples, stay unchanged.
 */
export function reflow(text: string, width: number): string {
  const lines: string[] = [];
  let paragraph: string[] = [];
  const end = (): void => {
    if (paragraph.length > 0) lines.push(...setLines(paragraph.join(" "), width));
    paragraph = [];
  };
  for (const line of text.split("\n")) {
    if (/^\S/.test(line)) {
      paragraph.push(line);
      continue;
    }
    end();
    lines.push(line);
  }
  end();
  return lines.join("\n");
}

function setLines(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && longer.length > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
