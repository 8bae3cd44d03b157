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
  Users,
  Waves,
  Wrench,
} from "lucide-react";
import type { ReactElement } from "react";
import { lazyPart } from "./lazy-part.tsx";
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
  problems: {
    label: "Problems",
    icon: LayoutDashboard,
    key: "o",
    Component: lazyPart(() => import("../overview/overview-page.tsx")),
  },
  activity: {
    label: "Activity",
    icon: List,
    key: "a",
    Component: lazyPart(() => import("../activity/activity-page.tsx")),
  },
  sessions: {
    label: "Sessions",
    icon: MessagesSquare,
    key: "c",
    Component: lazyPart(() => import("../sessions/sessions-page.tsx")),
  },
  callers: {
    label: "Callers",
    icon: Users,
    key: "u",
    Component: lazyPart(() => import("../callers/callers-page.tsx")),
  },
  tools: { label: "Tools", icon: SquareTerminal, key: "t" },
  servers: {
    label: "Servers",
    icon: Server,
    key: "s",
    Component: lazyPart(() => import("../servers/servers-page.tsx")),
  },
  rollout: {
    label: "Rollout",
    icon: Gauge,
    key: "r",
    Component: lazyPart(() => import("../rollout/rollout-page.tsx")),
  },
  repairs: {
    label: "Repairs",
    icon: Wrench,
    key: "f",
    Component: lazyPart(() => import("../repairs/repairs-page.tsx")),
  },
  drift: {
    label: "Drift",
    icon: Waves,
    key: "d",
    Component: lazyPart(() => import("../drift/drift-page.tsx")),
  },
  changes: {
    label: "Schema changes",
    icon: FileDiff,
    key: "h",
    Component: lazyPart(() => import("../changes/changes-page.tsx")),
  },
  pins: {
    label: "Pins",
    icon: Pin,
    key: "p",
    Component: lazyPart(() => import("../pins/pins-page.tsx")),
  },
  settings: {
    label: "Settings",
    icon: Settings2,
    key: ",",
    Component: lazyPart(() => import("../settings/settings-page.tsx")),
  },
};
