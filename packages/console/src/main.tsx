import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createApi } from "./api/client.ts";
import { App } from "./page/app.tsx";
import "./style/page.css";
import "./style/form.css";
import "./style/tool.css";

const element = document.getElementById("console");
if (element !== null) {
  const base = new URL(element.dataset["api"] ?? "./", document.baseURI);
  const api = createApi(
    base.href,
    (url, init) => fetch(url, init),
    () => performance.now(),
  );
  createRoot(element).render(
    <StrictMode>
      <App api={api} allowExecute={element.dataset["allowExecute"] === "true"} />
    </StrictMode>,
  );
}
