/** The navigation: a rail at the left, and on phones a bar at the bottom. */

import { html } from "./preact.js";
import { Icon } from "./icons.js";
import { VIEWS } from "./router.js";
import { viewsFor } from "./view_access.js";

/** The views in the bar on phones, if the user's keys can access them. */
const MAIN_VIEWS = ["overview", "requests", "status", "usage", "playground", "models"];
const MAIN_COUNT = 4;

/** @param {{ alerts: { view: string }[], isShown: boolean, onKeys: () => void }} options */
export function Rail({ current, session, alerts, isShown, onKeys }) {
  const views = viewsFor(VIEWS, session, current);
  const groups = [...new Set(VIEWS.map(({ group }) => group))];
  return html`
    <nav class=${`rail${isShown ? " shown" : ""}`} aria-label="Views">
      <a class="brand" href=${`#/${views[0].id}`} title="Sluice"><${Mark} /><b>Sluice</b></a>
      ${groups.map((group) => {
        const own = views.filter((view) => view.group === group);
        return own.length > 0 && html`
          <div class="rail-group" key=${group}>
            <p class="rail-title">${group}</p>
            ${own.map((view) =>
              html`
                <${ViewLink}
                  key=${view.id}
                  view=${view}
                  isCurrent=${view.id === current}
                  number=${views.indexOf(view) + 1}
                  alerts=${alerts.filter((alert) => alert.view === view.id).length}
                />
              `
            )}
          </div>
        `;
      })}
      <div class="rail-foot">
        <p><b>${session.hasAdmin ? "Admin" : "Service key"}</b>
          ${session.hasAdmin && session.hasService ? " and a service key" : ""}</p>
        <button type="button" onClick=${onKeys}>Keys in this tab</button>
      </div>
    </nav>
  `;
}

function ViewLink({ view: { id, title }, isCurrent, number, alerts }) {
  return html`
    <a
      href=${`#/${id}`}
      title=${title}
      aria-current=${isCurrent ? "page" : undefined}
      aria-keyshortcuts=${number < 10 ? `Alt+Shift+${number}` : undefined}
    >
      <${Icon} name=${id} /><span class="rail-name">${title}</span>
      ${alerts > 0 && html`
        <span class="rail-count st failing" title=${`${alerts} open alerts`}>${alerts}</span>
      `}
    </a>
  `;
}

export function BottomBar({ current, session, isMore, onMore }) {
  const known = viewsFor(VIEWS, session, current);
  const main = MAIN_VIEWS.flatMap((id) => known.find((view) => view.id === id) ?? [])
    .slice(0, MAIN_COUNT);
  return html`
    <nav class="bottom-bar" aria-label="Main views">
      ${main.map(({ id, title }) =>
        html`
          <a key=${id} href=${`#/${id}`} aria-current=${id === current ? "true" : undefined}>
            <${Icon} name=${id} size=${20} />${title}
          </a>
        `
      )}
      <button type="button" aria-expanded=${String(isMore)} onClick=${onMore}>
        <${Icon} name="more" size=${20} />More
      </button>
    </nav>
  `;
}

export function Mark() {
  return html`
    <svg width="18" height="18" viewBox="0 0 20 20" fill="none" stroke="currentColor"
      stroke-width="1.8" stroke-linecap="round" aria-hidden="true">
      <path d="M5 2.5v15M15 2.5v15M5 6h10M1.5 13c2.8-2 5.7 2 8.5 0s5.7-2 8.5 0" />
    </svg>
  `;
}
