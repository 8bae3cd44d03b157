import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import type { Fetch } from "./api/client.ts";
import { App } from "./app.tsx";
import { takeSignInCode } from "./sign-in/code.ts";
import "./style/console.css";

// Do this before anything is loaded, so that requests, errors and links of the page never contain the code.
const code = takeSignInCode(location, history);
const element = document.getElementById("console");

function start(root: HTMLElement): void {
  const {
    api = "./",
    gateway: place,
    allowExecute,
    title = "",
    project,
    projectUrl,
  } = root.dataset;
  const absolute = (address: string): string => new URL(address, document.baseURI).href;
  const ask: Fetch = (url, init) => fetch(url, init);
  createRoot(root).render(
    <StrictMode>
      <App
        tools={absolute(api)}
        fetch={ask}
        gateway={place === undefined ? undefined : absolute(place)}
        code={code}
        allowExecute={allowExecute === "true"}
        title={title}
        project={project === undefined ? undefined : { name: project, url: projectUrl }}
      />
    </StrictMode>,
  );
}

if (element !== null) start(element);
