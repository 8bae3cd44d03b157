import type { ReactElement } from "react";
import logo from "../style/logo.svg";

/** Where the logo is served: the page's icon too. */
export const LOGO_URL: string = logo;

/** The logo. The name beside it says what it is. */
export function Logo(): ReactElement {
  return <img src={LOGO_URL} alt="" width={24} height={24} className="size-6 shrink-0" />;
}
