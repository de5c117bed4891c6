/** The frame of the console: navigation, theme, sign-in and the current view. */

import { html, useEffect, useMemo, useRef, useState } from "./preact.js";
import { Dialog, IconButton, Loading } from "./components.js";
import { useConnection } from "./connection.js";
import { BottomBar, Mark, Rail } from "./rail.js";
import { RangeMenu, useZone, ZoneMenu } from "./range_menu.js";
import { useRoute, VIEWS } from "./router.js";
import {
  adminKey,
  isRefused,
  isSignedIn,
  joinTabs,
  onSessionChange,
  serviceKey,
  signOut,
} from "./session.js";
import { actionsOfPage, chordOf, runChord } from "./shortcuts.js";
import { SignIn } from "./sign_in.js";
import { Alerts, Connection } from "./state_line.js";
import { currentTheme, setTheme, THEMES } from "./theme.js";

/** The whole page. */
export function Shell() {
  const route = useRoute();
  const zone = useZone();
  const [signedIn, setSignedIn] = useState(isSignedIn);
  const [opened, setOpened] = useState(null);
  const [refusal, setRefusal] = useState({ isOpen: false, count: 0 });
  const path = adminKey() === "" ? "/v1/live" : "/v1/admin/live";
  const connection = useConnection(signedIn ? path : undefined, refusal.count);
  const { alerts, awaySince } = connection;
  const isAway = awaySince !== undefined;
  const session = { hasAdmin: adminKey() !== "", hasService: serviceKey() !== "" };
  const [isMore, setMore] = useState(false);
  useEffect(() => setMore(false), [route.view]);
  const main = useRef(null);
  useEffect(() =>
    onSessionChange(() => {
      setSignedIn(isSignedIn());
      // A different key reloads the view.
      setRefusal(({ isOpen, count }) => ({
        isOpen: isRefused(),
        count: isOpen && !isRefused() ? count + 1 : count,
      }));
    }), []);
  useEffect(() => listenForShortcuts(setOpened), []);
  useEffect(joinTabs, []);

  useEffect(() => {
    if (signedIn && location.hash === "") location.replace(`#/${startView()}`);
  }, [signedIn]);

  const { title } = VIEWS.find(({ id }) => id === route.view);
  const isFirst = useRef(true);
  useEffect(() => {
    const badge = alerts.length > 0 ? `(${alerts.length}) ` : "";
    document.title = signedIn ? `${badge}${title} – Sluice` : "Sign in – Sluice";
  }, [title, signedIn, alerts.length]);
  useEffect(() => {
    // Moves the focus to the new view, for keyboards and screen readers.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [title, signedIn]);

  return html`
    <a class="skip-link" href="#main" onClick=${(event) => {
      event.preventDefault();
      main.current?.focus();
    }}>Skip to the content</a>
    ${signedIn && html`
      <${Rail}
        current=${route.view}
        session=${session}
        alerts=${alerts}
        isShown=${isMore}
        onKeys=${() => setOpened("keys")}
      />
    `}
    <header class=${`top-bar${isAway ? " away" : ""}`}>
      ${signedIn
        ? html`
          <${Connection} connection=${connection} />
          <${Alerts} alerts=${alerts} />
        `
        : html`<span class="brand"><${Mark} /><b>Sluice</b></span>`}
      <div class="top-tools">
        ${signedIn && html`
          <${RangeMenu} route=${route} zone=${zone} />
          <${ZoneMenu} zone=${zone} />
          <${IconButton} icon="search" label="Go to (Ctrl K)" onClick=${() =>
            setOpened("palette")} />
        `}
        <${ThemeButton} />
        <${IconButton}
          icon="keyboard"
          class="wide-only"
          label="Keyboard shortcuts"
          onClick=${() => setOpened("shortcuts")}
        />
        ${signedIn && html`<${IconButton} icon="out" label="Sign out" onClick=${signOut} />`}
      </div>
    </header>
    ${signedIn && refusal.isOpen && html`
      <div class="alert-bar" role="alert">
        <span>The gateway no longer accepts your key.</span>
        <button type="button" class="link" onClick=${() => setOpened("keys")}>
          Sign in again
        </button>
      </div>
    `}
    <main id="main" ref=${main} data-away=${isAway || undefined} tabindex="-1" aria-label=${signedIn
      ? title
      : "Sign in"}>
      ${signedIn
        ? html`<${View} key=${`${route.view} ${refusal.count}`} route=${route} />`
        : html`<${SignIn} />`}
    </main>
    ${signedIn && html`
      <${BottomBar}
        current=${route.view}
        session=${session}
        isMore=${isMore}
        onMore=${() => setMore(!isMore)}
      />
    `}
    ${opened === "shortcuts" && html`<${Shortcuts} onClose=${() => setOpened(null)} />`}
    ${opened === "keys" && signedIn && html`
      <${Dialog} title="Your keys" onClose=${() => setOpened(null)}>
        <${SignIn} onDone=${() => setOpened(null)} />
        <//>
    `}
    ${opened === "palette" && signedIn && html`
      <${LazyPalette} onClose=${() => setOpened(null)} />
    `}
  `;
}

/** The first view: the overview for an operator, the playground for a developer. */
function startView() {
  return adminKey() === "" ? "playground" : "overview";
}

/** The command palette. Its code is loaded on first use. */
function LazyPalette({ onClose }) {
  const [Palette, setPalette] = useState(undefined);
  const commands = useMemo(() => [
    ...actionsOfPage().map(({ isView, keys, label, run }) => ({
      ...{ text: label, kind: isView ? "View" : "Action", keys, run },
    })),
    { text: "Sign out", kind: "Action", run: signOut },
  ], []);
  useEffect(() => {
    import("./palette.js").then((module) => setPalette(() => module.Palette), onClose);
  }, []);
  return Palette && html`<${Palette} commands=${commands} onClose=${onClose} />`;
}

/** Milliseconds before the code of a view is loaded again after a failure. */
const LOAD_AGAIN_MS = 5000;

/** Loads the code of a view and shows it. While the gateway is unreachable, it is tried again. */
function View({ route }) {
  const [loaded, setLoaded] = useState({});
  useEffect(() => {
    let isCurrent = true;
    let timer;
    const load = () =>
      VIEWS.find(({ id }) => id === route.view).load().then(
        (module) => isCurrent && setLoaded({ Component: module.default }),
        () => {
          if (!isCurrent) return;
          setLoaded({ isMissing: true });
          timer = setTimeout(load, LOAD_AGAIN_MS);
        },
      );
    void load();
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [route.view]);
  const { Component, isMissing } = loaded;
  if (Component) {
    return html`
      <div data-view=${route.view}>
        <${Component} route=${route} />
      </div>
    `;
  }
  return html`
    <div class="view">${isMissing ? html`<${Missing} />` : html`<${Loading} />`}</div>
  `;
}

/** Shown if the code of a view is missing: an upgrade changes its URL. */
function Missing() {
  return html`
    <div class="card empty stack">
      <p role="alert">
        This view cannot be loaded. The gateway may have been upgraded, or cannot be reached.
      </p>
      <p>
        <button type="button" class="primary" onClick=${() => location.reload()}>
          Reload the page
        </button>
      </p>
    </div>
  `;
}

const THEME_LABELS = {
  auto: "Theme: same as the system",
  light: "Theme: light",
  dark: "Theme: dark",
};

/** Cycles through the themes. */
function ThemeButton() {
  const [theme, setShown] = useState(currentTheme);
  const next = () => {
    const chosen = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    setTheme(chosen);
    setShown(chosen);
  };
  return html`<${IconButton} icon=${theme} label=${THEME_LABELS[theme]} onClick=${next} />`;
}

const SHORTCUTS = [
  [["Ctrl", "Enter"], "Send the message"],
  [["Ctrl", "Shift", "Enter"], "Preview the request without sending it"],
  [["Esc"], "Stop all answers, or close a dialog"],
  [["Ctrl", "K"], "Go to a view, action, model, key or request"],
  [["Ctrl", "/"], "Show these shortcuts"],
  [["j"], "Next row of a table"],
  [["k"], "Row before"],
  [["Enter"], "Open the row"],
];

function Shortcuts({ onClose }) {
  // The shortcuts of the page behind the dialog.
  const all = useMemo(() => [
    ...SHORTCUTS,
    ...actionsOfPage().map(({ keys, label }) => [keys, label]),
  ], []);
  return html`
    <${Dialog} title="Keyboard shortcuts" onClose=${onClose}>
      <div class="stack">
        <dl class="shortcuts">
        ${all.map(([keys, what]) =>
          html`
            <dt key=${what} class="row">${keys.map((key) =>
              html`<kbd key=${key}>${key}</kbd>`
            )}</dt>
            <dd>${what}</dd>
          `
        )}
      </dl>
        <p class="hint">On a Mac, use Cmd instead of Ctrl.</p>
      </div>
      <//>
  `;
}

/** @param {(what: string) => void} open @returns a function that removes the listener */
function listenForShortcuts(open) {
  const listen = (event) => {
    const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    if (isCommand && (event.key === "/" || event.key === "k")) {
      event.preventDefault();
      open(event.key === "k" ? "palette" : "shortcuts");
    }
    const chord = chordOf(event);
    if (chord !== undefined && isSignedIn() && runChord(chord)) event.preventDefault();
  };
  addEventListener("keydown", listen);
  return () => removeEventListener("keydown", listen);
}
