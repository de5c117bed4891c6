/**
 * The conversation. It stays scrolled to the end while answers grow, unless the user scrolls up.
 */

import { html, useEffect, useMemo, useRef } from "../../lib/preact.js";
import { Icon } from "../../lib/icons.js";
import { clearConversation, isRunning } from "./actions.js";
import { Examples } from "./examples.js";
import { TurnView } from "./turn_view.js";

export function Conversation({ state, isLoading }) {
  if (state.turns.length === 0) {
    return html`<div class="conversation">${!isLoading && html`<${Examples} />`}</div>`;
  }
  return html`<${Turns} state=${state} />`;
}

function Turns({ state }) {
  const { columns, selected, turns } = state;
  const isBusy = isRunning(state);
  // Typing a message does not render the turns again.
  const list = useMemo(
    () =>
      turns.map((turn, index) =>
        html`
          <${TurnView}
            key=${turn.id}
            turn=${turn}
            index=${index}
            columns=${columns}
            selected=${selected}
            isBusy=${isBusy}
          />
        `
      ),
    [turns, columns, selected, isBusy],
  );
  const { area, content, onScroll } = useFollowing(turns.length);
  return html`
    <div class="conversation" ref=${area} onScroll=${onScroll}>
      <div ref=${content}>
        <h2 class="only-read">Messages</h2>
        ${list}
        <div class="row conversation-end">
          <button type="button" class="quiet small" aria-keyshortcuts="Alt+Shift+X"
            onClick=${clearConversation}>
            <${Icon} name="clear" />Clear the conversation
          </button>
        </div>
      </div>
    </div>
  `;
}

/** The distance from the end that still counts as scrolled to the end, in pixels. */
const NEAR_END = 48;

/** Keeps an area scrolled to the end as its content grows. A new turn scrolls to the end again. */
function useFollowing(turns) {
  const area = useRef(null);
  const content = useRef(null);
  const follows = useRef(true);
  const lastTop = useRef(0);
  const toEnd = () => {
    if (follows.current && area.current !== null) {
      area.current.scrollTop = area.current.scrollHeight;
    }
  };
  const onScroll = () => {
    if (area.current === null) return;
    const { clientHeight, scrollHeight, scrollTop } = area.current;
    if (scrollHeight - scrollTop - clientHeight < NEAR_END) follows.current = true;
    else if (scrollTop < lastTop.current) follows.current = false;
    lastTop.current = scrollTop;
  };
  useEffect(() => {
    const observer = new ResizeObserver(toEnd);
    observer.observe(content.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    follows.current = true;
    toEnd();
  }, [turns]);
  return { area, content, onScroll };
}
