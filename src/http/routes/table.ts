/** The table of routes: method, path, who may call, and the handler. */

import { about } from "./about.ts";
import { listAdminProviders, resetProvider } from "./admin.ts";
import { chatCompletions } from "./chat_completions.ts";
import { healthz, readyz } from "./health.ts";
import { getMetrics } from "./metrics.ts";
import { listModels, retrieveModel } from "./models.ts";
import { listProviders } from "./providers.ts";
import type { Route } from "./route.ts";

const OPEN = { method: "GET", auth: "none", answers: "always" } as const;
const SERVICE = { method: "GET", auth: "service_key" } as const;
/** They are a 404 unless an admin key is configured, so `GET /` does not list them. */
const ADMIN = { auth: "admin_key", answers: "when busy", listed: false } as const;

export const ROUTES: readonly Route[] = [
  {
    ...SERVICE,
    method: "POST",
    path: "/v1/chat/completions",
    readsBody: true,
    handle: chatCompletions,
  },
  { ...SERVICE, path: "/v1/models", handle: listModels },
  { ...SERVICE, path: "/v1/models/{model_id...}", handle: retrieveModel },
  { ...SERVICE, path: "/v1/providers", handle: listProviders },
  { ...ADMIN, method: "GET", path: "/v1/admin/providers", handle: listAdminProviders },
  {
    ...ADMIN,
    method: "POST",
    path: "/v1/admin/providers/{provider_id}/reset",
    handle: resetProvider,
  },
  { ...OPEN, path: "/healthz", handle: healthz },
  { ...OPEN, path: "/readyz", handle: readyz },
  { ...OPEN, path: "/metrics", auth: "metrics", handle: getMetrics },
  { ...OPEN, path: "/", listed: false, handle: about },
  { ...OPEN, path: "/v1", listed: false, handle: about },
];
