import {
  FileDiff,
  Gauge,
  LayoutDashboard,
  List,
  type LucideIcon,
  MessagesSquare,
  Pin,
  Server,
  Settings2,
  SquareTerminal,
  Waves,
  Wrench,
} from "lucide-react";
import type { ReactElement } from "react";
import { lazily } from "./lazily.tsx";
import type { PageProps } from "./page-props.ts";
import type { PageName } from "./route.ts";

interface Page {
  readonly label: string;
  readonly icon: LucideIcon;
  /** Opens the page when typed after "g". */
  readonly key: string;
  /** Loaded when first shown. Absent for the tools, which need no gateway. */
  readonly Component?: (props: PageProps) => ReactElement;
}

/** All pages. Each entry adds a page to the sidebar, the command palette, the shortcuts and the router. */
export const PAGE_PARTS: Readonly<Record<PageName, Page>> = {
  overview: {
    label: "Overview",
    icon: LayoutDashboard,
    key: "o",
    Component: lazily(() => import("../overview/overview-page.tsx")),
  },
  activity: {
    label: "Activity",
    icon: List,
    key: "a",
    Component: lazily(() => import("../activity/activity-page.tsx")),
  },
  sessions: {
    label: "Sessions",
    icon: MessagesSquare,
    key: "c",
    Component: lazily(() => import("../sessions/sessions-page.tsx")),
  },
  tools: { label: "Tools", icon: SquareTerminal, key: "t" },
  servers: {
    label: "Servers",
    icon: Server,
    key: "s",
    Component: lazily(() => import("../servers/servers-page.tsx")),
  },
  rollout: {
    label: "Rollout",
    icon: Gauge,
    key: "r",
    Component: lazily(() => import("../rollout/rollout-page.tsx")),
  },
  repairs: {
    label: "Repairs",
    icon: Wrench,
    key: "f",
    Component: lazily(() => import("../repairs/repairs-page.tsx")),
  },
  drift: {
    label: "Drift",
    icon: Waves,
    key: "d",
    Component: lazily(() => import("../drift/drift-page.tsx")),
  },
  changes: {
    label: "Schema changes",
    icon: FileDiff,
    key: "h",
    Component: lazily(() => import("../changes/changes-page.tsx")),
  },
  pins: {
    label: "Pins",
    icon: Pin,
    key: "p",
    Component: lazily(() => import("../pins/pins-page.tsx")),
  },
  settings: {
    label: "Settings",
    icon: Settings2,
    key: ",",
    Component: lazily(() => import("../settings/settings-page.tsx")),
  },
};
