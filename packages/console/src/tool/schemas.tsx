import type { ReactElement } from "react";
import { Notice } from "../page/notice.tsx";
import { Block, Shown } from "../page/shown.tsx";
import type { ToolDetail, ToolSchema } from "./detail.ts";

function Schema({
  schema,
  name,
}: {
  readonly schema: ToolSchema | undefined;
  readonly name: string;
}): ReactElement {
  if (schema === undefined) return <p>The tool declares no {name.toLowerCase()}.</p>;
  const { fault, warnings } = schema.compiled;
  return (
    <details>
      <summary>{name}</summary>
      {fault !== undefined && (
        <Notice kind="bad">
          It cannot be used. <Shown text={`${fault.path} ${fault.message}`} />
        </Notice>
      )}
      {warnings.map(({ path, message }) => (
        <Notice kind="warning" key={`${path} ${message}`}>
          <Shown text={`${path} ${message}`} />
        </Notice>
      ))}
      <Block label={name} text={schema.text} />
    </details>
  );
}

/** What the tool declares, to read. */
export function Schemas({ detail }: { readonly detail: ToolDetail }): ReactElement {
  return (
    <section className="schemas" aria-label="Schemas">
      <Schema schema={detail.input} name="Input schema" />
      <Schema schema={detail.output} name="Output schema" />
    </section>
  );
}
