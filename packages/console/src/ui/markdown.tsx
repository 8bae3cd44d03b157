import { type MarkedToken, marked, type Token } from "marked";
import { Fragment, type ReactElement, type ReactNode, useMemo } from "react";
import { visible } from "../text/visible.ts";
import { cx } from "./classes.ts";
import { ExternalText } from "./external-text.tsx";

/** Longer texts are shown unformatted: some take time quadratic in their length. */
const MAX_LENGTH = 10_000;
/** Deeper parts are shown unformatted. */
const MAX_DEPTH = 12;

/** Returns the address of a link if it is safe to follow: web or mail only. */
export function safeHref(href: string): string | undefined {
  const url = URL.parse(href);
  return url !== null && ["https:", "http:", "mailto:"].includes(url.protocol)
    ? url.href
    : undefined;
}

/** marked does not escape texts, but they may contain entities: an author may have written `&lt;` for `<`. */
const ENTITIES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": " ",
};

function plain(text: string): string {
  return text.replaceAll(/&(?:lt|gt|amp|quot|#39|nbsp);/g, (entity) => ENTITIES[entity] ?? entity);
}

function inside(tokens: readonly Token[] | undefined, depth: number): ReactNode {
  return (tokens ?? []).map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the tokens of one text never move
    <Fragment key={index}>{render(token as MarkedToken, depth + 1)}</Fragment>
  ));
}

function render(token: MarkedToken, depth: number): ReactNode {
  if (depth > MAX_DEPTH) return <ExternalText text={token.raw} />;
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "paragraph":
      return <p>{inside(token.tokens, depth)}</p>;
    case "heading":
      // A real heading would appear in the page's outline.
      return <p className="font-semibold text-text">{inside(token.tokens, depth)}</p>;
    case "strong":
      return <strong className="font-semibold text-text">{inside(token.tokens, depth)}</strong>;
    case "em":
      return <em>{inside(token.tokens, depth)}</em>;
    case "del":
      return <del>{inside(token.tokens, depth)}</del>;
    case "br":
      return <br />;
    case "hr":
      return <hr className="border-line" />;
    case "codespan":
      return (
        <code className="rounded bg-sunken px-1 font-mono text-[0.9em]">
          <ExternalText text={token.text} />
        </code>
      );
    case "code":
      return (
        <pre className="rounded-md bg-sunken px-3 py-2 font-mono text-[0.8125rem] whitespace-pre-wrap">
          <ExternalText text={token.text} />
        </pre>
      );
    case "blockquote":
      return (
        <blockquote className="border-s-2 border-line ps-3">
          {inside(token.tokens, depth)}
        </blockquote>
      );
    case "list": {
      const items = token.items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the items of one text never move
        <li key={index}>{inside(item.tokens, depth)}</li>
      ));
      return token.ordered ? (
        <ol className="list-decimal ps-5" start={Number(token.start) || 1}>
          {items}
        </ol>
      ) : (
        <ul className="list-disc ps-5">{items}</ul>
      );
    }
    case "link": {
      const href = safeHref(token.href);
      if (href === undefined) return inside(token.tokens, depth);
      return (
        <a
          className="text-accent underline underline-offset-2"
          href={href}
          target="_blank"
          rel="noopener noreferrer"
          title={visible(href)}
        >
          {inside(token.tokens, depth)}
        </a>
      );
    }
    case "text":
      return token.tokens === undefined ? (
        <ExternalText text={plain(token.text)} />
      ) : (
        inside(token.tokens, depth)
      );
    case "escape":
      return <ExternalText text={token.text} />;
    case "checkbox":
      return token.checked ? "☑ " : "☐ ";
    case "table":
      return (
        <div className="overflow-x-auto">
          <table className="text-start">
            <thead>
              <tr>
                {token.header.map((cell, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the cells of one text never move
                  <th key={index} className="border border-line px-2 py-0.5 text-start font-medium">
                    {inside(cell.tokens, depth)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {token.rows.map((row, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the rows of one text never move
                <tr key={at}>
                  {row.map((cell, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the cells of one text never move
                    <td key={index} className="border border-line px-2 py-0.5">
                      {inside(cell.tokens, depth)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    default:
      // HTML and images are shown as their source text: nothing is loaded from external addresses.
      return <ExternalText text={token.raw} />;
  }
}

function lex(text: string): readonly Token[] | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  try {
    return marked.lexer(text, { gfm: true, breaks: true });
  } catch {
    return undefined;
  }
}

/**
 * Shows external Markdown (CommonMark, with tables). The text is parsed into tokens, and each token becomes an
 * element: no HTML is generated or passed through, images are not loaded, and links lead to the web or to mail only.
 */
export function Markdown({
  text,
  className,
}: {
  readonly text: string;
  readonly className?: string;
}): ReactElement {
  const tokens = useMemo(() => lex(text), [text]);
  return (
    <div
      className={cx(
        "mb-1 flex flex-col gap-1.5 text-[0.8125rem] leading-5 text-soft",
        tokens === undefined && "whitespace-pre-wrap",
        className,
      )}
    >
      {tokens === undefined ? <ExternalText text={text} /> : inside(tokens, 0)}
    </div>
  );
}
