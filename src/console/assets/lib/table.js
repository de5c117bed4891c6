/**
 * The table component of all views. The first column names the row and is fixed at the left; the
 * actions are fixed at the right. Long tables render only the visible rows. On phones, each row is
 * a card.
 */

import { html, useLayoutEffect, useMemo, useRef, useState } from "./preact.js";
import { MiddleText } from "./components.js";
import { Icon } from "./icons.js";
import { isAbsent, sortedRows, usedColumns } from "./table_rows.js";
import { RowMenu } from "./table_menu.js";
import { TALL_FROM, useEdges, useRendered, useRowKeys } from "./table_scroll.js";

/**
 * A column. `of` is the value to sort by; a column without any value is hidden. `cell` is what is
 * shown, else `text` of the value. `card` is its place on phones: `a` and `b` in the first line, `c`
 * and `d` in the second one, `c2` over its whole width; `mark` is a word before it there. `panel`
 * hides the column while a panel is open: always (`hide`) or in narrow windows (`low`).
 *
 * @typedef {{ id: string, title: string, hint?: string, of?: (row: any) => unknown,
 *   cell?: (row: any) => unknown, text?: (value: any, row: any) => unknown, isNumber?: boolean,
 *   isProse?: boolean, isRisingFirst?: boolean, card?: string, mark?: string,
 *   panel?: "hide" | "low", foot?: unknown, class?: string }} Column
 */

/**
 * @param {object} props
 * @param {string} props.label what the table shows
 * @param {readonly Column[]} props.columns the first one names the row
 * @param {readonly any[]} props.rows
 * @param {(row: any) => string} props.idOf
 * @param {(row: any) => string | undefined} [props.hrefOf] where a row leads
 * @param {(row: any) => import("./table_menu.js").Item[]} [props.actionsOf]
 * @param {{ id: string, isRising: boolean }} props.order the order, or the first one
 * @param {(order: { id: string, isRising: boolean }) => void} [props.onOrder] sorts the rows; without
 *   it, the table does
 * @param {string} [props.current] the ID of the open row
 * @param {() => void} [props.onClose] closes what a row has opened
 * @param {boolean} [props.hasPanel] whether a panel is open beside the table
 * @param {{ ids: Set<string>, onToggle: (id: string) => void, onAll: (isOn: boolean) => void }}
 *   [props.marks] the rows chosen by checkboxes
 * @param {(row: any) => string} [props.classOf] such as `sub` for a row of a second level
 */
export function Table(props) {
  const { label, columns, rows, idOf, order: given, onOrder, current, hasPanel } = props;
  const [own, setOwn] = useState(given);
  const order = onOrder === undefined ? own : given;
  const setOrder = onOrder ?? setOwn;
  const shown = useMemo(() => usedColumns(columns, rows, order.id), [columns, rows, order.id]);
  const sorted = useMemo(
    () =>
      onOrder !== undefined
        ? rows
        : sortedRows(rows, columns.find(({ id }) => id === order.id), order.isRising),
    [rows, columns, order.id, order.isRising, onOrder === undefined],
  );
  const box = useRef(null);
  const [menu, setMenu] = useState(null);
  const { from, to, height, isLong } = useRendered(box, sorted.length);
  const keys = useRowKeys(box, { ...props, rows: sorted, height, isLong, current });
  useEdges(box);
  const hasFoot = shown.some(({ foot }) => foot !== undefined);
  const others = shown.length + (props.actionsOf === undefined ? 0 : 1);
  return html`
    <${PhoneOrder} columns=${shown} order=${order} onOrder=${setOrder} />
    <div
      class=${`tbl${sorted.length > TALL_FROM ? " tall" : ""}${isLong ? " long" : ""}${
        hasPanel ? " has-panel" : ""
      }`}
      ref=${box}
      role="group"
      aria-label=${label}
      tabindex="0"
    >
      <table role="table" aria-rowcount=${isLong ? sorted.length + 1 : undefined}>
        <caption class="only-read">${label}</caption>
        <${Head} ...${props} columns=${shown} order=${order} setOrder=${setOrder} />
        <tbody role="rowgroup">
          ${isLong && html`<${Gap} key="before" rows=${from} height=${height} span=${others} />`}
          ${sorted.slice(from, to).map((row, at) => {
            const id = idOf(row);
            return html`
              <${Row} ...${props} key=${id} id=${id} row=${row} columns=${shown}
                order=${order}
                index=${isLong ? from + at : undefined}
                isCurrent=${id === current || id === keys.cursor}
                onMenu=${(anchor) => setMenu({ id, row, anchor })} openId=${menu?.id} />
            `;
          })}
          ${isLong && html`
            <${Gap} key="after" rows=${sorted.length - to} height=${height} span=${others} />
          `}
        </tbody>
        ${hasFoot && html`<${Foot} columns=${shown} hasActions=${others > shown.length} />`}
      </table>
    </div>
    ${menu !== null && html`
      <${RowMenu} key=${menu.id} label=${String(columns[0].of(menu.row))} anchor=${menu.anchor}
        items=${props.actionsOf(menu.row)} onClose=${() => setMenu(null)} />
    `}
  `;
}

/** Replaces the rows that are not rendered. */
function Gap({ rows, height, span }) {
  return html`
    <tr class="gap" aria-hidden="true" style=${{ height: `${rows * height}px` }}>
      <td colspan=${span}></td>
    </tr>
  `;
}

/** The order after a click on a header: descending, unless the column specifies otherwise. */
function nextOrder({ id, isRisingFirst }, order) {
  return { id, isRising: order.id === id ? !order.isRising : isRisingFirst === true };
}

function classOf({ isNumber, isProse, panel, class: name }, isSorted) {
  const hiding = panel !== undefined && !isSorted ? `panel-${panel}` : "";
  return [isNumber && "num", isProse && "why", hiding, name].filter(Boolean).join(" ");
}

function Head({ columns, order, setOrder, marks, rows, actionsOf }) {
  return html`
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map((column, index) => {
          const isSorted = column.id === order.id;
          const direction = order.isRising ? "ascending" : "descending";
          return html`
            <th key=${column.id} scope="col" role="columnheader" title=${column.hint}
              class=${`${index === 0 ? "k " : ""}${classOf(column, isSorted)}`}
              aria-sort=${isSorted ? direction : undefined}>
              ${index === 0 && marks && html`
                <input type="checkbox" aria-label="Choose all rows"
                  checked=${rows.length > 0 && marks.ids.size === rows.length}
                  onChange=${(event) => marks.onAll(event.target.checked)} />
              `}
              ${column.of === undefined ? column.title : html`
                <button type="button" class="sort" onClick=${() =>
                  setOrder(nextOrder(column, order))}>
                  ${column.title}
                  <span aria-hidden="true">${isSorted ? (order.isRising ? "↑" : "↓") : ""}</span>
                </button>
              `}
            </th>
          `;
        })}
        ${actionsOf && html`
          <th class="act" role="columnheader"><span class="only-read">Actions</span></th>
        `}
      </tr>
    </thead>
  `;
}

function Row(props) {
  const { id, row, columns, order, index, isCurrent, marks, hrefOf, actionsOf, onMenu } = props;
  const href = hrefOf?.(row);
  const open = (event) => {
    // Links, buttons and text selections are not affected.
    const isOther = event.target.closest("a, button, input") || String(getSelection()) !== "";
    if (href !== undefined && !isOther) location.hash = href;
  };
  const items = actionsOf?.(row) ?? [];
  return html`
    <tr role="row" data-row=${id} class=${props.classOf?.(row)} onClick=${open}
      aria-rowindex=${index === undefined ? undefined : index + 2}
      data-current=${isCurrent || undefined} data-link=${href !== undefined || undefined}>
      ${columns.map((column, at) =>
        at === 0
          ? html`
            <th key=${column.id} scope="row" role="rowheader" data-m=${column.card ?? "a"}
              class=${`k ${classOf(column, true)}`}>
              ${marks && html`
                <input type="checkbox" aria-label=${`Choose ${column.of(row)}`}
                  checked=${marks.ids.has(id)} onChange=${() => marks.onToggle(id)} />
              `}
              <${RowName} column=${column} row=${row} href=${href}
                isOpen=${id === props.current} />
            </th>
          `
          : html`
            <td key=${column.id} role="cell" data-m=${column.card} data-l=${column.mark}
              class=${classOf(column, column.id === order.id)}>${cellOf(column, row)}</td>
          `
      )}
      ${actionsOf && html`
        <td class="act" role="cell">
          ${items.length > 0 && html`
            <button type="button" class="icon quiet small" aria-haspopup="menu"
              aria-expanded=${String(props.openId === id)}
              aria-label=${`Actions: ${columns[0].of(row)}`}
              onClick=${(event) => onMenu(event.currentTarget)}><${Icon} name="more" /></button>
          `}
        </td>
      `}
    </tr>
  `;
}

function RowName({ column, row, href, isOpen }) {
  const content = column.cell?.(row) ?? html`<${MiddleText} text=${String(column.of(row))} />`;
  if (href === undefined) return content;
  return html`<a href=${href} aria-current=${isOpen ? "true" : undefined}>${content}</a>`;
}

function cellOf({ cell, of, text = String }, row) {
  if (cell !== undefined) return cell(row) ?? "–";
  const value = of(row);
  return isAbsent(value) ? "–" : text(value, row);
}

function Foot({ columns, hasActions }) {
  return html`
    <tfoot role="rowgroup">
      <tr role="row" class="sum">
        ${columns.map((column, at) =>
          at === 0
            ? html`<th key=${column.id} scope="row" role="rowheader" class="k" data-m="a">${column.foot}</th>`
            : html`
              <td key=${column.id} role="cell" data-m=${column.card} data-l=${column.mark}
                class=${classOf(column, false)}>${column.foot}</td>
            `
        )}
        ${hasActions && html`<td class="act" role="cell"></td>`}
      </tr>
    </tfoot>
  `;
}

/** The sort order on phones, which have no column headers. */
function PhoneOrder({ columns, order, onOrder }) {
  const select = useRef(null);
  const value = `${order.id} ${order.isRising ? "up" : "down"}`;
  useLayoutEffect(() => void (select.current.value = value), [value, columns]);
  const options = columns.filter(({ of }) => of !== undefined).flatMap(({ id, title }) => [
    [`${id} down`, `${title} ↓`],
    [`${id} up`, `${title} ↑`],
  ]);
  const change = ({ target }) => {
    const [id, direction] = target.value.split(" ");
    onOrder({ id, isRising: direction === "up" });
  };
  return html`
    <label class="phone-sort">Sorted by
      <select ref=${select} onChange=${change}>
        ${options.map(([key, text]) => html`<option key=${key} value=${key}>${text}</option>`)}
      </select>
    </label>
  `;
}
