/** Hooks that render a component again when the state of the playground changes. */

import { useEffect, useState } from "../../lib/preact.js";
import { getState, onStateChange } from "./store.js";

/** The state; the component renders again with each change. */
export function usePlayground() {
  const [, render] = useState(getState);
  useEffect(() => {
    const listener = () => render(getState());
    const end = onStateChange(listener);
    // The state may have changed between rendering and this effect.
    listener();
    return end;
  }, []);
  return getState();
}

/** Renders a component again when a run changes. */
export function useRun(run) {
  const [, render] = useState(run.version);
  useEffect(() => {
    const listener = () => render(run.version);
    const end = run.onChange(listener);
    listener();
    return end;
  }, [run]);
  return run;
}

/** Renders a component again when one of these runs changes. */
export function useRuns(runs) {
  const versions = () => runs.map(({ version }) => version).join();
  const [, render] = useState(versions);
  useEffect(() => {
    const listener = () => render(versions());
    const ends = runs.map((run) => run.onChange(listener));
    listener();
    return () => ends.forEach((end) => end());
  }, [runs.map(({ id }) => id).join()]);
}
