/** The files of the console's page. Each is loaded with the first request for the page. */

/** Loads the text of a file. */
type LoadText = () => Promise<{ readonly default: string }>;

/** The page, whose links are relative to the other files. */
export const loadPage: LoadText = () => import("./assets/index.html", { with: { type: "text" } });

/** The other files by path. The folder `vendor` holds files of npm packages. */
export const ASSET_FILES: ReadonlyMap<string, LoadText> = new Map<string, LoadText>([
  ["icon.svg", () => import("./assets/icon.svg", { with: { type: "text" } })],
  ["main.js", () => import("./assets/main.js", { with: { type: "text" } })],
  ["styles.css", () => import("./assets/styles.css", { with: { type: "text" } })],
  ["lib/api.js", () => import("./assets/lib/api.js", { with: { type: "text" } })],
  ["lib/combobox.js", () => import("./assets/lib/combobox.js", { with: { type: "text" } })],
  ["lib/components.js", () => import("./assets/lib/components.js", { with: { type: "text" } })],
  ["lib/format.js", () => import("./assets/lib/format.js", { with: { type: "text" } })],
  ["lib/frame_writer.js", () => import("./assets/lib/frame_writer.js", { with: { type: "text" } })],
  ["lib/icons.js", () => import("./assets/lib/icons.js", { with: { type: "text" } })],
  ["lib/json_text.js", () => import("./assets/lib/json_text.js", { with: { type: "text" } })],
  ["lib/markdown.js", () => import("./assets/lib/markdown.js", { with: { type: "text" } })],
  [
    "lib/markdown_inline.js",
    () => import("./assets/lib/markdown_inline.js", { with: { type: "text" } }),
  ],
  ["lib/models.js", () => import("./assets/lib/models.js", { with: { type: "text" } })],
  ["lib/preact.js", () => import("./assets/lib/preact.js", { with: { type: "text" } })],
  ["lib/router.js", () => import("./assets/lib/router.js", { with: { type: "text" } })],
  ["lib/session.js", () => import("./assets/lib/session.js", { with: { type: "text" } })],
  ["lib/shell.js", () => import("./assets/lib/shell.js", { with: { type: "text" } })],
  ["lib/sign_in.js", () => import("./assets/lib/sign_in.js", { with: { type: "text" } })],
  ["lib/sse.js", () => import("./assets/lib/sse.js", { with: { type: "text" } })],
  ["lib/theme.js", () => import("./assets/lib/theme.js", { with: { type: "text" } })],
  ["styles/controls.css", () => import("./assets/styles/controls.css", { with: { type: "text" } })],
  ["styles/shell.css", () => import("./assets/styles/shell.css", { with: { type: "text" } })],
  [
    "views/playground/conversation_dialog.js",
    () => import("./assets/views/playground/conversation_dialog.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/conversation_json.js",
    () => import("./assets/views/playground/conversation_json.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/conversation.js",
    () => import("./assets/views/playground/conversation.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/settings.css",
    () => import("./assets/views/playground/settings.css", { with: { type: "text" } }),
  ],
  [
    "views/playground/text.css",
    () => import("./assets/views/playground/text.css", { with: { type: "text" } }),
  ],
  [
    "views/playground/actions.js",
    () => import("./assets/views/playground/actions.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/answer.css",
    () => import("./assets/views/playground/answer.css", { with: { type: "text" } }),
  ],
  [
    "views/playground/answer_card.js",
    () => import("./assets/views/playground/answer_card.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/answer_fold.js",
    () => import("./assets/views/playground/answer_fold.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/attempt_bars.js",
    () => import("./assets/views/playground/attempt_bars.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/composer.js",
    () => import("./assets/views/playground/composer.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/copy_as.js",
    () => import("./assets/views/playground/copy_as.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/copy_dialog.js",
    () => import("./assets/views/playground/copy_dialog.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/examples.js",
    () => import("./assets/views/playground/examples.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/images.js",
    () => import("./assets/views/playground/images.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/index.js",
    () => import("./assets/views/playground/index.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/layout.css",
    () => import("./assets/views/playground/layout.css", { with: { type: "text" } }),
  ],
  [
    "views/playground/message_editor.js",
    () => import("./assets/views/playground/message_editor.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/model_columns.js",
    () => import("./assets/views/playground/model_columns.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/parameters.js",
    () => import("./assets/views/playground/parameters.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/receipt.css",
    () => import("./assets/views/playground/receipt.css", { with: { type: "text" } }),
  ],
  [
    "views/playground/receipt_facts.js",
    () => import("./assets/views/playground/receipt_facts.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/receipt_panel.js",
    () => import("./assets/views/playground/receipt_panel.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/request_body.js",
    () => import("./assets/views/playground/request_body.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/run.js",
    () => import("./assets/views/playground/run.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/settings_panel.js",
    () => import("./assets/views/playground/settings_panel.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/store.js",
    () => import("./assets/views/playground/store.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/streamed_text.js",
    () => import("./assets/views/playground/streamed_text.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/timeline.js",
    () => import("./assets/views/playground/timeline.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/tool_calls.js",
    () => import("./assets/views/playground/tool_calls.js", { with: { type: "text" } }),
  ],
  [
    "views/playground/turn_view.js",
    () => import("./assets/views/playground/turn_view.js", { with: { type: "text" } }),
  ],
  [
    "views/keys/dialogs.js",
    () => import("./assets/views/keys/dialogs.js", { with: { type: "text" } }),
  ],
  ["views/keys/form.js", () => import("./assets/views/keys/form.js", { with: { type: "text" } })],
  ["views/keys/index.js", () => import("./assets/views/keys/index.js", { with: { type: "text" } })],
  ["views/keys/keys.css", () => import("./assets/views/keys/keys.css", { with: { type: "text" } })],
  [
    "views/keys/settings.js",
    () => import("./assets/views/keys/settings.js", { with: { type: "text" } }),
  ],
  ["views/keys/table.js", () => import("./assets/views/keys/table.js", { with: { type: "text" } })],
  [
    "views/requests/addresses.js",
    () => import("./assets/views/requests/addresses.js", { with: { type: "text" } }),
  ],
  [
    "views/requests/details.js",
    () => import("./assets/views/requests/details.js", { with: { type: "text" } }),
  ],
  [
    "views/requests/filters.js",
    () => import("./assets/views/requests/filters.js", { with: { type: "text" } }),
  ],
  [
    "views/requests/index.js",
    () => import("./assets/views/requests/index.js", { with: { type: "text" } }),
  ],
  [
    "views/requests/requests.css",
    () => import("./assets/views/requests/requests.css", { with: { type: "text" } }),
  ],
  [
    "views/requests/table.js",
    () => import("./assets/views/requests/table.js", { with: { type: "text" } }),
  ],
  [
    "views/requests/timeline.js",
    () => import("./assets/views/requests/timeline.js", { with: { type: "text" } }),
  ],
  [
    "views/shared/data.js",
    () => import("./assets/views/shared/data.js", { with: { type: "text" } }),
  ],
  [
    "views/shared/parts.js",
    () => import("./assets/views/shared/parts.js", { with: { type: "text" } }),
  ],
  [
    "views/shared/times.js",
    () => import("./assets/views/shared/times.js", { with: { type: "text" } }),
  ],
  [
    "views/status/breaker.js",
    () => import("./assets/views/status/breaker.js", { with: { type: "text" } }),
  ],
  [
    "views/status/details.js",
    () => import("./assets/views/status/details.js", { with: { type: "text" } }),
  ],
  [
    "views/status/index.js",
    () => import("./assets/views/status/index.js", { with: { type: "text" } }),
  ],
  [
    "views/status/live.js",
    () => import("./assets/views/status/live.js", { with: { type: "text" } }),
  ],
  [
    "views/status/providers.js",
    () => import("./assets/views/status/providers.js", { with: { type: "text" } }),
  ],
  [
    "views/status/sparkline.js",
    () => import("./assets/views/status/sparkline.js", { with: { type: "text" } }),
  ],
  [
    "views/usage/chart.js",
    () => import("./assets/views/usage/chart.js", { with: { type: "text" } }),
  ],
  [
    "views/usage/chart_shapes.js",
    () => import("./assets/views/usage/chart_shapes.js", { with: { type: "text" } }),
  ],
  [
    "views/usage/choice.js",
    () => import("./assets/views/usage/choice.js", { with: { type: "text" } }),
  ],
  [
    "views/usage/figures.js",
    () => import("./assets/views/usage/figures.js", { with: { type: "text" } }),
  ],
  [
    "views/usage/index.js",
    () => import("./assets/views/usage/index.js", { with: { type: "text" } }),
  ],
  [
    "views/usage/pages.js",
    () => import("./assets/views/usage/pages.js", { with: { type: "text" } }),
  ],
  [
    "views/usage/range_picker.js",
    () => import("./assets/views/usage/range_picker.js", { with: { type: "text" } }),
  ],
  [
    "views/usage/table.js",
    () => import("./assets/views/usage/table.js", { with: { type: "text" } }),
  ],
  [
    "views/usage/usage.css",
    () => import("./assets/views/usage/usage.css", { with: { type: "text" } }),
  ],
  ["views/views.css", () => import("./assets/views/views.css", { with: { type: "text" } })],
  ["vendor/preact.js", () => text(import("preact", { with: { type: "text" } }))],
  ["vendor/hooks.js", () => text(import("preact/hooks", { with: { type: "text" } }))],
  ["vendor/htm.js", () => text(import("htm", { with: { type: "text" } }))],
]);

/** The text of a package's module. The types of its import describe the module instead. */
async function text(imported: Promise<unknown>): Promise<{ readonly default: string }> {
  return await imported as { readonly default: string };
}
