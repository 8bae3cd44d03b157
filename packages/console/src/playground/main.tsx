import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./playground.css";
import { Checker } from "./checker.ts";
import { Playground } from "./playground.tsx";
// The worker's code is part of this script, so that a new worker can be started without a network.
import CheckWorker from "./worker.ts?worker&inline";

const element = document.getElementById("playground");
const checker = new Checker(() => new CheckWorker());

if (element !== null) {
  createRoot(element).render(
    <StrictMode>
      <Playground checker={checker} />
    </StrictMode>,
  );
}
