import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createApi, type Fetch } from "./api/client.ts";
import { App } from "./app.tsx";
import "./style/page.css";
import "./style/form.css";
import "./style/tool.css";

const element = document.getElementById("console");
if (element !== null) {
  const { api = "./", gateway, allowExecute } = element.dataset;
  const absolute = (address: string): string => new URL(address, document.baseURI).href;
  const ask: Fetch = (url, init) => fetch(url, init);
  createRoot(element).render(
    <StrictMode>
      <App
        api={createApi(absolute(api), ask, () => performance.now())}
        fetch={ask}
        gateway={gateway === undefined ? undefined : absolute(gateway)}
        listsAll={gateway !== undefined && absolute(gateway) === absolute(api)}
        allowExecute={allowExecute === "true"}
      />
    </StrictMode>,
  );
}
