import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createApi, type Fetch } from "./api/client.ts";
import { App } from "./app.tsx";
import { signIn, takeCode } from "./page/sign-in.ts";
import "./style/console.css";

// Do this before anything is loaded, so that requests, errors and links of the page never contain the code.
const code = takeCode(location, history);
const element = document.getElementById("console");

async function start(root: HTMLElement): Promise<void> {
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
  const gateway = place === undefined ? undefined : absolute(place);
  const signedIn =
    code === undefined || gateway === undefined ? undefined : await signIn(gateway, code, ask);
  createRoot(root).render(
    <StrictMode>
      <App
        createApi={(own) => createApi(absolute(api), own, () => performance.now())}
        fetch={ask}
        gateway={gateway}
        listsAll={gateway !== undefined && gateway === absolute(api)}
        allowExecute={allowExecute === "true"}
        title={title}
        project={project === undefined ? undefined : { name: project, url: projectUrl }}
        signedIn={signedIn}
      />
    </StrictMode>,
  );
}

if (element !== null) void start(element);
