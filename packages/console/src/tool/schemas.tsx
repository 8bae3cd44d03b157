import type { ReactElement } from "react";
import { Notice } from "../page/notice.tsx";
import { Code } from "../ui/code.tsx";
import { ExternalText } from "../ui/external-text.tsx";
import type { ToolDetail, ToolSchema } from "./detail.ts";

function Schema({
  schema,
  name,
}: {
  readonly schema: ToolSchema | undefined;
  readonly name: string;
}): ReactElement {
  if (schema === undefined) return <p>The tool declares no {name.toLowerCase()}.</p>;
  const { error: fault, warnings } = schema.compiled;
  return (
    <details>
      <summary className="cursor-pointer font-medium">{name}</summary>
      {fault !== undefined && (
        <Notice kind="bad">
          It cannot be used. <ExternalText text={`${fault.path} ${fault.message}`} />
        </Notice>
      )}
      {warnings.map(({ path, message }) => (
        <Notice kind="warning" key={`${path} ${message}`}>
          <ExternalText text={`${path} ${message}`} />
        </Notice>
      ))}
      <Code label={name} text={schema.text} />
    </details>
  );
}

/** Shows which parts of a tool cannot be checked, and why, because users would not look for that among the schemas. */
export function SchemaFaults({ detail }: { readonly detail: ToolDetail }): ReactElement {
  const schemas = [
    ["input", "arguments", detail.input],
    ["output", "results", detail.output],
  ] as const;
  return (
    <>
      {schemas.map(([name, what, schema]) => {
        const fault = schema?.compiled.error;
        if (fault === undefined) return null;
        return (
          <Notice kind="warning" key={name}>
            The {name} schema of this tool cannot be used, so its {what} are not checked:{" "}
            <ExternalText text={fault.message} />
          </Notice>
        );
      })}
    </>
  );
}

/** Shows the tool's declared schemas, read-only. */
export function Schemas({ detail }: { readonly detail: ToolDetail }): ReactElement {
  return (
    <section className="flex flex-col gap-2" aria-label="Schemas">
      <Schema schema={detail.input} name="Input schema" />
      <Schema schema={detail.output} name="Output schema" />
    </section>
  );
}
