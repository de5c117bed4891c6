/**
 * The incident strip: the share of failed attempts during the last day, and the changes in that
 * time.
 */

import { html } from "../../lib/preact.js";
import { percent } from "../../lib/format.js";
import { StateMark } from "../../lib/state_mark.js";
import { sinceText, troubled } from "./headline.js";
import {
  axisTimes,
  positionOf,
  stripPaths,
  stripWindow,
  sumCells,
  sumsWithin,
  topShare,
} from "./strip_shapes.js";

/** The maximum number of providers with a separate strip. */
const MAX_STRIPS = 6;
const HOUR_MS = 3_600_000;

/**
 * @param {{ health: any, period: { from: number, to: number }, rangeName: string }} options
 *   `health` is the answer of `/v1/admin/health`
 */
export function IncidentStrip({ health, period, rangeName }) {
  const { cell_ms: cellMs, changes, reading, since, targets } = health;
  const end = Date.parse(health.at);
  const window = stripWindow(period, end, cellMs);
  const sumOfTargets = (some) => sumsWithin(sumCells(some.map(({ cells }) => cells)), window);
  const all = sumOfTargets(targets);
  const time = window.isDay ? "the last 24 hours" : rangeName;
  const top = topShare(all);
  const known = Date.parse(since);
  return html`
    <section class="stack" aria-labelledby="strip-title">
      <div class="section-head">
        <h2 id="strip-title">Share of failed attempts, ${time}</h2>
        <span class="faint small">
          5 min a cell, this process${coverNote(known, end, reading)}
        </span>
        <span class="strip-keys small faint">
          <span class="key config">config</span><span class="key keys">keys</span>
          <span class="key breakers">breakers</span>
          <span class="key failed">failed</span><span class="key quiet">no traffic</span>
        </span>
      </div>
      <div class="strips">
        <div class="strip-name">All targets</div>
        <${Strip}
          class="tall"
          label=${`All targets: ${sharesOf(all, time)}`}
          paths=${stripPaths(all, window, top)}
          count=${window.count}
          top=${top}
        >
          ${changes.map(({ kind, text, time }, index) =>
            html`
              <${Mark} key=${index} kind=${kind} text=${`${text} at ${sinceText(time, end)}`}
                at=${positionOf(Date.parse(time), window)} />
            `
          )}
        <//>
        <div class="strip-end"></div>
        ${stripsOf(targets).map(({ name, own, worst }) => {
          const sums = sumOfTargets(own);
          const recent = sumOf(own.map((target) => target.recent));
          return html`
            <div class="strip-name" key=${name}>
              <a class="clip" href="#/status" title=${name}>${name}</a>
              <${StateMark} state=${worst.state} isShort=${true} />
            </div>
            <${Strip} key=${`${name} strip`} label=${`${name}: ${sharesOf(sums, time)}`}
              paths=${stripPaths(sums, window)} count=${window.count} />
            <div class="strip-end small" key=${`${name} now`}>${recent.attempts === 0
              ? "no traffic"
              : `${percent(recent.failures, recent.attempts)} now`}</div>
          `;
        })}
        <div class="strip-name"></div>
        <${TimeAxis} window=${window} end=${end} />
        <div class="strip-end"></div>
      </div>
    </section>
  `;
}

/** The providers with a target that needs attention, the worst first. */
function stripsOf(targets) {
  const names = [...new Set(troubled(targets).map(({ provider }) => provider))];
  return names.slice(0, MAX_STRIPS).map((name) => {
    const own = targets.filter(({ provider }) => provider === name);
    return { name, own, worst: troubled(own)[0] };
  });
}

function Strip({ children, class: name = "", count, label, paths: { failed, quiet }, top }) {
  return html`
    <div class=${`strip ${name}`} role="img" aria-label=${label}>
      ${top !== undefined && html`<span class="strip-top">${percent(top, 1)}</span>`}
      <svg viewBox=${`0 0 ${count} 100`} preserveAspectRatio="none" aria-hidden="true">
        <path class="quiet" d=${quiet} />
        <path d=${failed} />
      </svg>
      ${children}
    </div>
  `;
}

/** A change at a time. */
function Mark({ kind, text, at }) {
  if (at === undefined) return null;
  return html`
    <span class=${`strip-mark ${kind}`} style=${{ left: `${at}%` }} title=${text}>
      <span class="only-read">${text}</span>
    </span>
  `;
}

function TimeAxis({ window, end }) {
  return html`
    <div class="strip-axis small faint" aria-hidden="true">
      ${axisTimes(window).map((time) => {
        const at = positionOf(time, window);
        return at !== undefined && at > 3 && at < 88 && html`
          <span key=${time} style=${{ left: `${at}%` }}>${sinceText(
            new Date(time).toISOString(),
            end,
          ).slice(-5)}</span>
        `;
      })}
      ${window.isNow && html`<span class="now">now</span>`}
    </div>
  `;
}

function coverNote(known, end, reading) {
  if (reading) return "; the ledger is still being read";
  return end - known < 23 * HOUR_MS
    ? `, begins at ${sinceText(new Date(known).toISOString(), end)}`
    : ", from the ledger";
}

function sharesOf(sums, time) {
  const { attempts, failures } = sumOf(
    [...sums.values()].map(([attempts, failures]) => ({ attempts, failures })),
  );
  return `${failures} of ${attempts} attempts failed, ${time}`;
}

function sumOf(all) {
  return all.reduce((sum, { attempts, failures }) => ({
    attempts: sum.attempts + attempts,
    failures: sum.failures + failures,
  }), { attempts: 0, failures: 0 });
}
