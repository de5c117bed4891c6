/** The frame of the console: navigation, theme, sign-in and the current view. */

import { html, useEffect, useMemo, useRef, useState } from "./preact.js";
import { Dialog, IconButton, Loading } from "./components.js";
import { useRoute, VIEWS } from "./router.js";
import { adminKey, isRefused, isSignedIn, onSessionChange, signOut } from "./session.js";
import { actionsOfPage, chordOf, runChord } from "./shortcuts.js";
import { SignIn } from "./sign_in.js";
import { currentTheme, setTheme, THEMES } from "./theme.js";

/** The whole page. */
export function Shell() {
  const route = useRoute();
  const [signedIn, setSignedIn] = useState(isSignedIn);
  const [opened, setOpened] = useState(null);
  const [refusal, setRefusal] = useState({ isOpen: false, count: 0 });
  const alerts = useAlerts(signedIn, refusal.count);
  const main = useRef(null);
  useEffect(() =>
    onSessionChange(() => {
      setSignedIn(isSignedIn());
      // With another key, the view is loaded again.
      setRefusal(({ isOpen, count }) => ({
        isOpen: isRefused(),
        count: isOpen && !isRefused() ? count + 1 : count,
      }));
    }), []);
  useEffect(() => listenForShortcuts(setOpened), []);

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
    // After a change of the view, keyboard and screen reader continue there.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [title, signedIn]);

  return html`
    <a class="skip-link" href="#main" onClick=${(event) => {
      event.preventDefault();
      main.current?.focus();
    }}>Skip to the content</a>
    <header class="top-bar">
      <a class="brand" href=${`#/${startView()}`}><${Mark} />Sluice</a>
      ${signedIn && html`<${Navigation} current=${route.view} />`}
      <div class="top-tools">
        <${ThemeButton} />
        ${signedIn && html`
          <${IconButton} icon="search" label="Go to (Ctrl K)" onClick=${() =>
            setOpened("palette")} />
        `}
        <${IconButton}
          icon="keyboard"
          label="Keyboard shortcuts"
          onClick=${() => setOpened("shortcuts")}
        />
        ${signedIn && html`<${IconButton} icon="out" label="Sign out" onClick=${signOut} />`}
      </div>
    </header>
    ${signedIn && route.view !== "status" && alerts.length > 0 && html`
      <div class="alert-bar" role="status">
        <span>${alerts.join(" ")}</span> <a href="#/status">Status</a>
      </div>
    `}
    ${signedIn && refusal.isOpen && html`
      <div class="alert-bar" role="alert">
        <span>The gateway no longer accepts your key.</span>
        <button type="button" class="link" onClick=${() => setOpened("keys")}>
          Sign in again
        </button>
      </div>
    `}
    <main id="main" ref=${main} tabindex="-1" aria-label=${signedIn ? title : "Sign in"}>
      ${signedIn
        ? html`<${View} key=${`${route.view} ${refusal.count}`} route=${route} />`
        : html`<${SignIn} />`}
    </main>
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

/** The first view: an operator looks at the state, and a developer at the playground. */
function startView() {
  return adminKey() === "" ? "playground" : "status";
}

/** What is wrong in the gateway, looked at from time to time. */
function useAlerts(signedIn, refusals) {
  const [alerts, setAlerts] = useState([]);
  useEffect(() => {
    setAlerts([]);
    if (!signedIn) return undefined;
    let end;
    let isOver = false;
    const path = adminKey() === "" ? "/v1/live" : "/v1/admin/live";
    import("./alerts.js").then(({ watchAlerts }) => {
      if (!isOver) end = watchAlerts(path, setAlerts);
    }, () => {});
    return () => {
      isOver = true;
      end?.();
    };
  }, [signedIn, refusals]);
  return alerts;
}

/** The command palette, whose code is loaded with its first use. */
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

function Navigation({ current }) {
  const nav = useRef(null);
  useEffect(() => {
    // On a phone, the bar is wider than the window.
    const { clientWidth, offsetLeft } = nav.current;
    const link = nav.current.querySelector("[aria-current]");
    nav.current.scrollLeft = link.offsetLeft - offsetLeft - (clientWidth - link.offsetWidth) / 2;
  }, [current]);
  return html`
    <nav ref=${nav} aria-label="Views">
      ${VIEWS.map(({ id, title }, index) =>
        html`
          <a
            key=${id}
            href=${`#/${id}`}
            aria-current=${id === current ? "page" : undefined}
            aria-keyshortcuts=${index < 9 ? `Alt+Shift+${index + 1}` : undefined}
          >${title}</a>
        `
      )}
    </nav>
  `;
}

/** Loads the code of a view and shows it. */
function View({ route }) {
  const [loaded, setLoaded] = useState({});
  useEffect(() => {
    let isCurrent = true;
    VIEWS.find(({ id }) => id === route.view).load().then(
      (module) => isCurrent && setLoaded({ Component: module.default }),
      () => isCurrent && setLoaded({ isMissing: true }),
    );
    return () => (isCurrent = false);
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

/** Says that the code of a view is not there: after an upgrade it has another address. */
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
  auto: "Theme: as the system",
  light: "Theme: light",
  dark: "Theme: dark",
};

/** Switches between the themes in turn. */
function ThemeButton() {
  const [theme, setShown] = useState(currentTheme);
  const next = () => {
    const chosen = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    setTheme(chosen);
    setShown(chosen);
  };
  return html`<${IconButton} icon=${theme} label=${THEME_LABELS[theme]} onClick=${next} />`;
}

function Mark() {
  return html`
    <svg width="20" height="20" viewBox="0 0 20 20" fill="none" stroke="currentColor"
      stroke-width="1.8" stroke-linecap="round" aria-hidden="true">
      <path d="M5 2.5v15M15 2.5v15M5 6h10M1.5 13c2.8-2 5.7 2 8.5 0s5.7-2 8.5 0" />
    </svg>
  `;
}

const SHORTCUTS = [
  [["Ctrl", "Enter"], "Send the message"],
  [["Ctrl", "Shift", "Enter"], "Preview the request without sending it"],
  [["Esc"], "Stop all answers, or close a dialog"],
  [["Ctrl", "K"], "Go to a view, action, model, key or request"],
  [["Ctrl", "/"], "Show these shortcuts"],
];

function Shortcuts({ onClose }) {
  // Those of the page behind the dialog.
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
        <p class="hint">On a Mac, use Cmd in place of Ctrl.</p>
      </div>
      <//>
  `;
}

/** @param {(what: string) => void} open @returns a function that ends the listening */
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
