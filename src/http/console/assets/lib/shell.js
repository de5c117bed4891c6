/** The frame of the console: navigation, theme, sign-in and the current view. */

import { html, useEffect, useRef, useState } from "./preact.js";
import { Dialog, IconButton, Loading } from "./components.js";
import { useRoute, VIEWS } from "./router.js";
import { isSignedIn, onSessionChange, serviceKey, signOut } from "./session.js";
import { SignIn } from "./sign_in.js";
import { currentTheme, setTheme, THEMES } from "./theme.js";

/** The whole page. */
export function Shell() {
  const route = useRoute();
  const [signedIn, setSignedIn] = useState(isSignedIn);
  const [showsShortcuts, setShowsShortcuts] = useState(false);
  const main = useRef(null);
  useEffect(() => onSessionChange(() => setSignedIn(isSignedIn())), []);
  useEffect(() => listenForShortcuts(() => setShowsShortcuts(true)), []);

  useEffect(() => {
    // An admin key cannot be used in the playground, which is the first view otherwise.
    if (signedIn && serviceKey() === "" && location.hash === "") location.replace("#/status");
  }, [signedIn]);

  const { title } = VIEWS.find(({ id }) => id === route.view);
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = signedIn ? `${title} – Sluice` : "Sign in – Sluice";
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
      <a class="brand" href="#/playground"><${Mark} />Sluice</a>
      ${signedIn && html`<${Navigation} current=${route.view} />`}
      <div class="top-tools">
        <${ThemeButton} />
        <${IconButton}
          icon="keyboard"
          label="Keyboard shortcuts"
          onClick=${() => setShowsShortcuts(true)}
        />
        ${signedIn && html`<${IconButton} icon="out" label="Sign out" onClick=${signOut} />`}
      </div>
    </header>
    <main id="main" ref=${main} tabindex="-1" aria-label=${signedIn ? title : "Sign in"}>
      ${signedIn ? html`<${View} key=${route.view} route=${route} />` : html`<${SignIn} />`}
    </main>
    ${showsShortcuts && html`<${Shortcuts} onClose=${() => setShowsShortcuts(false)} />`}
  `;
}

function Navigation({ current }) {
  return html`
    <nav aria-label="Views">
      ${VIEWS.map(({ id, title }) =>
        html`
          <a key=${id} href=${`#/${id}`} aria-current=${id === current
            ? "page"
            : undefined}>${title}</a>
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
  [["Alt", "Shift", "1–8"], "Open a view"],
  [["Ctrl", "/"], "Show these shortcuts"],
];

function Shortcuts({ onClose }) {
  return html`
    <${Dialog} title="Keyboard shortcuts" onClose=${onClose}>
      <div class="stack">
        <dl class="shortcuts">
        ${SHORTCUTS.map(([keys, what]) =>
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

/** Returns a function that ends the listening. */
function listenForShortcuts(showShortcuts) {
  const listen = (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "/") {
      event.preventDefault();
      showShortcuts();
    }
    const digit = /^Digit([1-9])$/.exec(event.code)?.[1];
    const view = VIEWS[Number(digit) - 1];
    if (event.altKey && event.shiftKey && view !== undefined && isSignedIn()) {
      event.preventDefault();
      location.hash = `#/${view.id}`;
    }
  };
  addEventListener("keydown", listen);
  return () => removeEventListener("keydown", listen);
}
